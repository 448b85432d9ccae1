# Waits, wall time and wakers add up, and each thread ends with its own run.
record() {
	assay record -q --off-cpu -F 999 -o $1 -- sh -c "$2" 2>why && return
	tail -n 1 why
	exit 77
}
record a.assay 'for i in 1 2 3; do sleep 0.05; done; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done' || exit 77
record b.assay 'sleep 0.2 | cat; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'
assay merge -q -o m.assay a.assay b.assay
add() { awk -F, '{ n = $(NF - 1); w = $NF; sub(/,[^,]*,[^,]*$/, ""); s[$0] += n; t[$0] += w }
	END { for (k in s) printf "%s %d %d\n", k, s[k], t[k] }' | sort; }
events() {
	for file; do
		assay sql --csv $file "SELECT e.name, count(*), sum(weight) FROM sample s
			JOIN event e ON e.id = s.event GROUP BY 1" | tail -n +2
	done | add
}
events a.assay b.assay >parts
events m.assay >whole
[ "$(wc -l <whole)" -gt 3 ] && diff parts whole && echo "waits: the sum"

# The whole wall time and each part of it, to the microsecond.
wall() {
	for file; do
		assay report --wall --by thread --json $file >$file.json
	done
	python3 -c '
import json, sys
def figures(path):
    total = json.load(open(path + ".json"))["total"]
    yield "threads", total["threads"]
    yield "wall", total["wall_seconds"]
    for part in total["parts"]:
        yield part["group"] + "/" + part["part"], part["seconds"]
        for count in ("samples", "waits"):
            yield part["group"] + "/" + part["part"] + " " + count, part.get(count, 0)
whole, sums = dict(figures(sys.argv[1])), {}
for path in sys.argv[2:]:
    for name, value in figures(path):
        sums[name] = sums.get(name, 0) + value
for name, value in whole.items():
    if abs(value - sums[name]) > 1e-6:
        print(name, value, "is not", sums[name])
print("compared", len(whole), "figures", "of some time" if whole["wall"] > 0.1 else "of nothing")
' "$@"
}
wall m.assay a.assay b.assay

# Without waits, a thread lives until the end of its own run, not of the last one.
assay record -q -e cpu-clock -F 999 -o c.assay -- sh -c 'i=0; while [ $i -lt 90000 ]; do i=$((i+1)); done'
assay record -q -e cpu-clock -F 999 -o d.assay -- sh -c 'i=0; while [ $i -lt 90000 ]; do i=$((i+1)); done'
assay merge -q -o e.assay c.assay d.assay
wall e.assay c.assay d.assay
