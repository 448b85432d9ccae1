# Lines that could not be read because the program was away are there once it is back.
cat >work.c <<'END'
static volatile unsigned long sink;
int main(void)
{
	for (long i = 0; i < 100000000; i++)
		sink += i;
	return 0;
}
END
gcc -O2 -g -Wl,--build-id -o work work.c || { echo "no compiler"; exit 77; }
assay record -q -e cpu-clock -o l.assay -- ./work
has_line() { assay report --csv --by line "$1" 2>/dev/null | grep -o '^work.c' | sort -u; }
state() { assay sql --csv "$1" "SELECT DISTINCT value FROM meta WHERE key LIKE 'lines_file_%' AND key IN
	(SELECT 'lines_file_' || id FROM image WHERE path LIKE '%/work')" | sed 1d; }
said() { sed "s,$PWD,DIR,; s/ and [0-9]* others*//"; }
mkdir away
mv work away/
for view in "report --csv --by line" "annotate --source work.c"; do
	echo "== $view"
	cp l.assay here.assay
	assay $view here.assay 2>&1 >/dev/null | said
	state here.assay
	cp here.assay again.assay
	mv away/work .
	assay $view here.assay 2>/dev/null | grep -o 'work\.c' | sort -u
	state here.assay
	mv work away/
	assay $view here.assay 2>&1 >/dev/null | grep /work:	# they were kept
	has_line here.assay
done
echo "== another of this name"
printf 'int main(void) { return 0; }' | gcc -g -x c -Wl,--build-id -o work -
assay report --csv --by line again.assay 2>&1 >/dev/null | said
state again.assay
