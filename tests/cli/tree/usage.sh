# What makes no sense is refused before anything is read.
for words in "--depth 0" "--depth x" "--children --bottom-up" "--children --depth 2" "--limit x" \
	"--min-percent 101" "--context nowhere" "one two"; do
	assay tree $words 2>&1 | head -n 1
done
assay tree missing.assay 2>&1 | grep -c missing.assay
assay tree --depth 0 2>/dev/null
echo "exit $?"
