# status: 2
# Combinations that make no sense are refused before anything is counted.
try() { assay stat "$@" 2>&1; echo "exit $?"; }
try
try -a -p 1
try -p 1 -t 1
try -p nobody
try --per-cpu -- true
try --per-thread -- true
try -r 0 -- true
try -r 20000 -- true
try -r 2 -a
try -r 2 -I 100 -- true
try -r 2 -d 1 -- true
try -r 2 --per-thread -p 1 -- true
try -I 1 -- true
try -d soon -- true
try -d 0 -- true
try --json --csv -- true
try --list -- true
try --diff one.json
try --diff
assay stat --no-such-option 2>/dev/null
