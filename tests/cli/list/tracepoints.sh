[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
assay list events 'sched:sched_switch'
