# Interrupts are timed where CPUs are sampled, and where that was not left out.
assay record -q -e cpu-clock -a -d 0.5 -o timed.assay || exit
fact() { assay sql "$1" "SELECT value FROM meta WHERE key = 'irq_time'" | tail -1; }
if [ "$(fact timed.assay)" != on ]; then
	fact timed.assay
	exit 77
fi
ask() { assay sql timed.assay "SELECT $1" | tail -1 | tr -d ' '; }
ask "count(*) > 0 FROM interrupt_time WHERE kind = 'softirq' AND ns > 0 AND name <> ''"
ask "count(*) > 0 FROM interrupt_victim WHERE count > 0"
# Every nanosecond is somebody's.
ask "(SELECT sum(ns) FROM interrupt_time WHERE kind = 'softirq') =
	(SELECT sum(ns) FROM interrupt_victim WHERE kind = 'softirq')"
ask "(SELECT sum(count) FROM interrupt_time WHERE kind IN ('cpu', 'device')) =
	(SELECT sum(count) FROM interrupt_victim WHERE kind = 'hardirq')"
assay report --full timed.assay | grep -c -e '^  Measur'
assay record -q -e cpu-clock -a --no-irq-time -d 0.2 -o left-out.assay
fact left-out.assay
assay sql left-out.assay "SELECT count(*) FROM interrupt_time" | tail -1 | tr -d ' '
