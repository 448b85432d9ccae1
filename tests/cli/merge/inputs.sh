# Several -i are read as one recording, without a file. Each view is that of the merged file.
cat >work.c <<'END'
static volatile unsigned long sink;
__attribute__((noinline)) static void first(unsigned long n)
{
	while (n--)
		sink += n * n;
}
int main(void)
{
	for (int i = 0; i < 20; i++)
		first(5000000);
	return 0;
}
END
gcc -O1 -g -o work work.c
assay record -q -e cpu-clock -F 999 -o a.assay -- ./work
assay record -q --off-cpu -e cpu-clock -F 999 -o b.assay -- sh -c 'sleep 0.1; ./work' 2>/dev/null ||
	assay record -q -e cpu-clock -F 999 -o b.assay -- ./work
assay merge -q -o m.assay a.assay b.assay
compare() {
	command=$1
	shift
	assay $command -i a.assay -i b.assay "$@" 2>&1 | sed 's/-i a.assay -i b.assay/m.assay/g' >several
	assay $command m.assay "$@" >one 2>&1
	[ -s one ] && cmp several one || echo "$command $*: differs"
}
compare report --full
compare report --by line
compare report --by time --csv
compare tree
compare callgraph
compare trace
compare export -f folded
compare check --min-samples 10
compare doctor
assay annotate -i a.assay -i b.assay first 2>/dev/null >several
assay annotate -i m.assay first 2>/dev/null >one
[ -s one ] && cmp several one
assay peek -i a.assay -i b.assay first >several
assay peek -i m.assay first >one
[ -s one ] && cmp several one
assay flame -i a.assay -i b.assay -o several.svg && assay flame -o one.svg m.assay
[ -s one.svg ] && cmp several.svg one.svg
ls *.assay

# Refused.
assay report -i a.assay -i missing.assay 2>&1
assay report -i a.assay -i ./a.assay 2>&1
assay report -i a.assay -i b.assay m.assay 2>&1
assay report m.assay -i a.assay 2>&1
assay flame -i a.assay -i b.assay -o b.assay 2>&1
assay sql -i a.assay -i b.assay 'SELECT 1' 2>&1
assay symbolize -i a.assay -i b.assay 2>&1 | head -n 1
exit 0
