# The command's exit status is ours; 127 and 126 where it could not be executed.
try() { assay record -q "$@"; echo "exit $?"; }
try -- true
try -- sh -c 'exit 7'
try -- sh -c 'kill -TERM $$'
try -- ./no-such-command 2>/dev/null
touch plain-file
try -- ./plain-file 2>/dev/null
