# status: 7
# The exit status is the command's, of several runs the first that is not 0.
try() { assay stat -e page-faults -o out "$@" 2>&1; echo "exit $?"; }
try -- false
try -- sh -c 'kill -TERM $$'
try -- ./nothing
touch plain
try -- ./plain
try -r 3 -- sh -c 'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; [ $n -ne 1 ] || exit 9'
cat n
try -e nonsense -- touch started
try -p 99999999
try -e sched:no_such_point -- touch started | sed "s/': no such event .*tracing.*/': no such/; s/': tracefs is not mounted .*/': no such/"
ls
assay stat -e page-faults -- sh -c 'exit 7' >/dev/null
