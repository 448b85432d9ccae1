# With the rights of root, recordings are read with the right to read only. Debug servers need more,
# so a file of root is read with all rights if they are to be asked.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >spin.c <<'END'
int main(void) { for (volatile unsigned int i = 0; i < 200000000; i++); }
END
cc -g -O1 -o spin spin.c || { echo "no compiler"; exit 77; }
assay record -q -o own.assay -e task-clock -- ./spin || exit
cp own.assay theirs.assay
chown 65534 theirs.assay

# confined FILE: the rights of a command that takes a while to read FILE
confined() {
	assay sql "$1" 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
		WHERE i < 300000000) SELECT max(i) FROM n' >/dev/null &
	reader=$!
	sleep 0.5
	grep -E '^(CapEff|NoNewPrivs|Seccomp):' "/proc/$reader/status" | tr -s '\t ' ' '
	kill $reader
	wait $reader
}
echo "--- of root"
confined own.assay
echo "--- of root, with debug servers"
DEBUGINFOD_URLS=http://127.0.0.1:1 confined own.assay | grep -v CapEff
echo "--- of another user"
confined theirs.assay

echo "--- and writes what it was asked for"
has() { grep -q "$1" && echo "$2"; }
assay report theirs.assay | has '^Trust' report
assay flame -o picture.svg theirs.assay && has '</svg>' flame <picture.svg
assay export -f folded -o stacks.txt theirs.assay && has main export <stacks.txt
assay merge -o both.assay own.assay theirs.assay && assay report both.assay | has '^Trust' merge
chown 65534 stacks.txt
assay import -o again.assay stacks.txt && assay report again.assay | has main import
assay import -o pipe.assay - <stacks.txt && assay report pipe.assay | has main 'import -'
assay annotate main theirs.assay | has volatile annotate
assay tree theirs.assay | has ' main' tree
# more rows than SQLite keeps in memory while it sorts them
assay sql --csv theirs.assay 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
	WHERE i < 400000) SELECT count(*) AS rows FROM (SELECT DISTINCT random() FROM n)' | has 400000 sort
assay diff own.assay theirs.assay >/dev/null; echo "diff: $?"
echo "--- but asks no servers"
DEBUGINFOD_URLS=http://127.0.0.1:1 assay report --inline theirs.assay 2>&1 | grep 'servers'
echo "--- nothing else was left"
ls | sort
