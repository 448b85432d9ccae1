# Lines and inlined functions are made when first asked for, and kept in the recording.
cat >work.c <<'END'
static volatile unsigned long sink;
static inline void inner(unsigned long n)
{
	for (int i = 0; i < 100; i++)
		sink += n * i;
}
static inline void middle(unsigned long n) { inner(n); }
int main(void)
{
	for (long i = 0; i < 1500000; i++)
		middle(i);
	return 0;
}
END
gcc -O2 -g -o work work.c
assay record -e cpu-clock -o l.assay -- ./work 2>/dev/null
top() { assay report --csv "$@" l.assay | sed -n '2p' | tr -d '"' | grep -o -E 'work.c:[45]|inner|main' | head -1; }
sqlite3 l.assay "SELECT count(*) FROM meta WHERE key = 'lines'"
top --by function
top --by line | sed 's/[45]$/4 or 5/'
sqlite3 l.assay "SELECT value FROM meta WHERE key = 'lines'"
rm -f work work.c
top --by function --inline
assay sql --csv l.assay "SELECT DISTINCT inlined, function FROM stack_lines
	WHERE depth = 0 AND file LIKE '%/work.c' AND location IN
	(SELECT location FROM location_line WHERE depth = 2) ORDER BY 1"
sqlite3 l.assay 'PRAGMA integrity_check'
