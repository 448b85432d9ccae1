# status: 1
# The report does not mix with the output of the command.
assay run -q -e cpu-clock -F 999 -- sh -c 'echo from the command; i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' >out 2>err
cat out
grep -c '^Trust: ' err
# With --report it goes to a file.
assay run -q --report report -e cpu-clock -F 999 -- sh -c 'echo again; i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' >out 2>err
cat out err
grep -c '^Trust: ' report
assay run -q --report /nonexistent/report -- true 2>&1
