# status: 5
# Records and reports; the command's output and exit status are as without us.
assay run -q -e cpu-clock -F 999 -- sh -c 'echo from the command; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 5' >out
status=$?
head -n 1 out
grep -c -x -e '-*' out | sed 's/[1-9][0-9]*/sections/'
ls
exit $status
