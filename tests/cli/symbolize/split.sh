# What is said of a missing .dwo does not outlive its absence.
cat >work.c <<'EOF'
static volatile unsigned long sink;
__attribute__((noinline)) static void busy(unsigned long n)
{
	for (int i = 0; i < 100; i++)
		sink += n * i;
}
int main(void)
{
	for (long i = 0; i < 1500000; i++)
		busy(i);
	return 0;
}
EOF
gcc -O2 -g -gsplit-dwarf -c work.c
gcc -Wl,--build-id -o work work.o
assay record -e cpu-clock -o l.assay -- ./work 2>/dev/null
said() { assay sql --csv l.assay "SELECT value FROM meta WHERE key LIKE 'lines_image_%'" | grep without; }
mv work.dwo away
assay symbolize l.assay 2>/dev/null
said
mv away work.dwo
assay symbolize l.assay 2>/dev/null
said
