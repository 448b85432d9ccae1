# status: 5
# Records and reports; the command's output and exit status are as without us.
assay run -q -e cpu-clock -F 999 -- sh -c 'echo from the command; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 5' >out 2>err
status=$?
head -n 1 out
grep -c "^Trust: " err
ls
exit $status
