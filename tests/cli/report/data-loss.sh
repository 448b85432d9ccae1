# Every command that reads a recording says once on stderr what the recording lacks, and in JSON.
printf 'main;run 400\nmain;rest 10\n' >a.folded
assay import -q -o a.assay a.folded
cp a.assay whole.assay
sqlite3 a.assay "INSERT INTO loss (reason, count) VALUES ('sample-ring-full', 590); DROP TABLE sealed"
say() {
	echo "== $1"
	assay "$@" 2>&1 >out | grep -v '^WARNING.*stacks'
}
for command in 'report --by function' 'report --section applications' tree callgraph 'peek run' trace \
	'flame -o a.svg' 'export -f folded' 'export -f pprof' 'annotate run' \
	'annotate --source run' 'check --min-samples 1' 'report --json' 'tree --json'; do
	say $command a.assay
done
say diff whole.assay a.assay
say sql a.assay 'SELECT 1'
say merge -q -o merged.assay whole.assay a.assay
assay sql whole.assay 'SELECT 1' >out
grep -o 'id="note"[^<]*' a.svg | sed 's/.*>//'
echo "== screen"
assay report a.assay 2>&1 | grep -c 'of samples lost'
assay report a.assay 2>&1 >/dev/null
# A filter does not change the share of lost samples.
assay report --symbol rest --json a.assay 2>&1 >out.json
python3 - <<'END2'
import json, subprocess
def show(*args):
    out = json.loads(subprocess.run(["assay", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    print(args[0], out["before"]["data_loss"] + out["after"]["data_loss"] if "before" in out else out["data_loss"])
    return out
print(round(show("report", "--json", "--symbol", "rest", "a.assay")["trust"]["lost_share"], 3))
show("report", "--by", "function", "--json", "a.assay")
show("tree", "--json", "a.assay")
show("callgraph", "--json", "a.assay")
show("peek", "--json", "run", "a.assay")
show("check", "--json", "--min-samples", "1", "a.assay")
show("diff", "--json", "whole.assay", "a.assay")
show("tree", "--json", "whole.assay")
END2
# Damaged and unfinished recordings; a recording that lacks nothing.
echo "== damaged"
cp whole.assay b.assay
sqlite3 b.assay "UPDATE block SET checksum = 1 WHERE kind = 'sample'; DROP TABLE sealed"
assay tree b.assay 2>&1 >/dev/null | grep -v stacks
assay tree whole.assay 2>&1 >/dev/null
echo "== cut"
sqlite3 whole.assay "DELETE FROM meta WHERE key = 'store.complete'; DROP TABLE sealed"
assay tree whole.assay 2>&1 >/dev/null
assay tree whole.assay 2>&1 >/dev/null
