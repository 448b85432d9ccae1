# Command lines can contain secrets, so they are kept only if this is asked for.
cat >spin.c <<'END'
int main(int argc, char **argv)
{
	for (volatile long i = 0; i < 200000000; i++)
		;
	return 0;
}
END
gcc -O1 -o spin spin.c
printf './spin --password=%s "two words"\n./spin other &\nwait\n' hunter2 >script
record() {
	assay record -q -e cpu-clock -F 999 "$@" -o run.assay -- sh ./script
}
record
assay report --by cmdline --csv run.assay | cut -d, -f1
grep -c hunter2 run.assay
record --cmdlines
# A child of sh that has not executed spin yet has no command line.
assay report --by cmdline --csv run.assay | cut -d, -f1 | grep -v -e '^sh' -e '^\[unknown\]' | sort
assay report --by comm,cmdline --json run.assay | grep -o '"cmdline": "[^"]*hunter2[^"]*"' | head -n 1
sqlite3() { python3 -c "
import sqlite3, sys
with sqlite3.connect('run.assay') as db:
	print(*[row[0] for row in db.execute(sys.argv[1])], sep='\n')" "$1"; }
sqlite3 "select text from command_line where text like '%spin%' order by 1"
# Merged recordings keep them. Recordings of earlier versions do not have the table.
assay merge run.assay run.assay -o two.assay 2>/dev/null
assay report --by cmdline --csv two.assay | cut -d, -f1 | grep spin | sort
sqlite3 'drop table command_line' >/dev/null
assay report --by cmdline --csv run.assay | cut -d, -f1
