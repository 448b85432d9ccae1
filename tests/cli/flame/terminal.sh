# On a terminal the graph goes to profile.svg.
. "$CASES/../report/busy"
script -qec 'assay flame' /dev/null | tr -d '\r' | grep -e '^assay: '
head -c 5 profile.svg
