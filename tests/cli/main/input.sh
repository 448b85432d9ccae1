# A recording is FILE or -i FILE, in every command that reads one.
assay record -q -e cpu-clock -F 999 -o r.assay -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
same() {
	assay $1 r.assay >first 2>&1
	assay $1 -i r.assay >second 2>&1
	cmp first second && echo "$1"
}
for words in report tree callgraph "peek main" "annotate sh" trace "export -f folded" check doctor symbolize "flame -o -"; do
	same "$words"
done
assay sql -i r.assay 'SELECT count(*) > 0 AS any FROM sample' | tail -n 1
assay diff -i r.assay --input r.assay >first
assay diff r.assay r.assay >second
cmp first second && echo diff
assay report -i r.assay r.assay 2>&1 | head -n 1
assay sql -i r.assay r.assay 'SELECT 1' 2>&1 | head -n 1
assay diff -i r.assay r.assay r.assay 2>&1 | head -n 1
