# A recording without waits says which option records them; --waits is a report of its own.
. "$CASES/busy"
assay report --waits 2>&1; echo "exit $?"
assay report --waits --by thread 2>&1; echo "exit $?"
assay trace --fields comm,waker --limit 1 | tr -s ' ' | sed 's/^[^ ]* //'
