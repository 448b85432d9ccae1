# The sections, in their order.
. "$CASES/busy"
assay report --full --min-percent 0 | grep -B 1 -e '^---*$' | grep -v -e '^--*$'
