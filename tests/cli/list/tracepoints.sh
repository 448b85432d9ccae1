[ -r /sys/kernel/tracing/events ] || { echo "tracefs is not readable here"; exit 77; }
assay list events 'sched:sched_switch'
