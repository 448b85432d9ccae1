# The facts of one recording and of several are in the same order.
printf 'main;run 400\nmain;rest 10\n' >a.folded
assay import -q -o a.assay a.folded
assay import -q -o b.assay a.folded
keys() {
	assay report --json "$@" 2>/dev/null | python3 -c '
import json, sys
print(*(fact["key"] for fact in json.load(sys.stdin)["facts"]), sep="\n")' >keys
	LC_ALL=C sort -c keys && wc -l <keys
}
keys -i a.assay
keys -i a.assay -i b.assay
keys -i b.assay -i a.assay
