# What makes no sense is refused with 2 and a reason.
refused() {
	assay diff "$@" 2>&1 | head -1
	assay diff "$@" >/dev/null 2>&1
	echo "exit $?"
}
refused
refused a.assay
refused a b c
refused --by thread a b
refused --by event a b
refused --per '' a b
refused --fail-if 'self(x) > 2' a b
refused --before 1s-2s --time 1s-2s a b
refused --before 1s-2s a
refused --before 1s-2s --after 1.5s-3s a
. "$CASES/recordings"
refused --per no-such-event before.assay after.assay
refused --per cpu-clock before.assay after.assay
refused --per run --before 0s-0.1s before.assay after.assay
refused --per second --fail-if 'self(growing) > +1s' before.assay after.assay
# An idle machine would have no samples.
sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done' &
assay record -q -a -e cpu-clock -F 999 -o machine.assay -d 0.2
refused --per run before.assay machine.assay
assay diff --json before.assay machine.assay | grep '"per"'
assay diff missing.assay other.assay 2>&1
echo "exit $?"
