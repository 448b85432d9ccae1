# status: 2
# Combinations that make no sense are refused before anything is opened.
try() { assay record "$@" 2>&1; echo "exit $?"; }
try
try -a -p 1
try -F 99 -c 1000 -- true
try -F many -- true
try -t nobody
try --call-graph lbr -- true
try --call-graph dwarf,12 -- true
try --collector perf -- true
try --table-memory 0 -- true
try --table-memory 65537 -- true
try --table-memory much -- true
try -d 1.2345 -- true
try -c 1000000 --max-overhead 1 -- true
try --max-overhead 0 -- true
try --off-cpu=3 -- true
try --off-cpu=1.0001us -- true
try --off-cpu=ms -- true
try --off-cpu=2h -- true
ls
assay record --no-such-option 2>/dev/null
