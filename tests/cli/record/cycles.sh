# Where cycles can be sampled they are the default, and the report says what only a clock can tell.
command -v cc >/dev/null || { echo "needs a compiler"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "needs root to watch every CPU"; exit 77; }
assay record -q --collector bpf -o try -- true 2>message || { cat message; exit 77; }
cc -shared -fPIC -D_GNU_SOURCE -o counted.so "$SOURCE/tests/support/counted_cycles.c" -ldl || exit
counted() { LD_PRELOAD=$PWD/counted.so assay "$@"; }
busy='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
event() { assay sql --csv "$1" "SELECT name, frequency_hz, has_ticks FROM event" | tail -n +2; }
line() { assay report --full "$1" | tr -s ' \n' ' ' | grep -o "$2" || echo "no $2"; }

for collector in bpf ring; do
	counted record -q -a --collector $collector -o all.$collector -- sh -c "$busy"
	event all.$collector
	line all.$collector 'cycles (a hardware counter of this machine); watching every CPU'
	line all.$collector 'clock none, .* or -e cpu-clock'
	line all.$collector 'not shown: no clock was sampled'
	assay report --full all.$collector | grep -c -e '^Late samples' -e 'unaccounted' -e '^Ticks'
	assay report --json all.$collector | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["late"]["late_samples"], report["ledger"])' 2>&1 | tail -n 1
done
echo '# the command alone, with a limit, with a period, beside waits'
counted record -q --max-overhead 50 -o limited -- sh -c "$busy"
event limited
counted record -q -c 2000000 -o period -- sh -c "$busy"
event period
counted record -q --off-cpu -o waits -- sleep 0.1
event waits | head -n 1
echo '# with a clock beside'
counted record -q -a -F 999 -e cycles,cpu-clock -o both -- sh -c "$busy"
event both
line both 'clock none'
assay report --full both | grep -e '^Time ledger' -e '^Late samples'
assay report --full both | grep -c 'not shown'
echo '# doctor'
counted doctor | grep -o 'default event.*'
