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
# Files of one name are told apart by their folders, also between recordings.
mkdir one two
for name in one two; do
	cat >$name/util.c <<-END
		volatile unsigned long sink_$name;
		void $name(unsigned long n) { while (n--) sink_$name += n; }
	END
done
cat >main.c <<'END'
void one(unsigned long n), two(unsigned long n);
int main(void) { one(100000000); two(100000000); return 0; }
END
gcc -O1 -g -o both main.c "$PWD/one/util.c" "$PWD/two/util.c"
assay record -q -e cpu-clock -o both.assay -- ./both 2>/dev/null
assay report --by line --no-pager both.assay | grep -o '[a-z/]*util.c:2' | sort
assay diff --by line --no-pager both.assay both.assay | grep -o '[a-z/]*util.c:2' | sort
for format in json csv; do assay report --by line --$format both.assay >both.$format; done
python3 - "$PWD" <<'END'
import csv, json, sys
want = {(f"{sys.argv[1]}/{name}/util.c", "2", "util.c:2") for name in ("one", "two")}
for rows in json.load(open("both.json"))["rows"], csv.DictReader(open("both.csv")):
    found = {(row.get("file"), str(row.get("line_number")), row["line"]) for row in rows}
    assert want <= found, found
END
