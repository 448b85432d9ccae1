# A recording that is renamed or removed while it is written.
record() { assay record -e cpu-clock -M 100 -o a.assay -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; '"$1"'; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' 2>&1 |
	sed -n "s|$PWD/||; s/^assay: [0-9]* samples, 0 lost, .* KiB in \(.*\); own.*/samples in \1/; /samples in\|renamed\|removed/p"; }
whole() { assay check --min-samples 1 "$1" | grep -c '^ok' && assay sql "$1" 'SELECT sum(samples) > 0 AS samples FROM hit'; }

record 'mv a.assay b.assay'
whole b.assay
ls
rm b.assay

# The name may belong to another file by then, even to a recording.
assay record -q -e cpu-clock -o other.assay -- true
record 'mv a.assay b.assay; cp other.assay a.assay'
whole b.assay
cmp a.assay other.assay && echo untouched
rm -- *

record 'rm a.assay'
ls
assay record -q -e cpu-clock -M 100 -o a.assay -- rm a.assay 2>/dev/null
echo "exit $?"
