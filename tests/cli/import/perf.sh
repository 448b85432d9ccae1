# A recording of perf is one of ours: from a file, a pipe, compressed, and cut short.
command -v perf >/dev/null || { echo 'perf is not installed'; exit 77; }
cat >work.c <<'END'
static volatile unsigned long sink;
__attribute__((noinline)) static void busy(unsigned long n)
{
	for (int i = 0; i < 100; i++)
		sink += n * i;
}
int main(void)
{
	for (long i = 0; i < 8000000; i++)
		busy(i);
	return 0;
}
END
gcc -O2 -g -fno-omit-frame-pointer -Wl,--build-id -o work work.c
record()
{
	perf record -q -B -N -e cpu-clock:u -F 2999 -g "$@" -- ./work 2>why && return
	tail -n 1 why >&3
	exit 77
}
exec 3>&1
record -o file.data
record -o packed.data -z
record -o - >pipe.data
# Where its records begin, and how many bytes they have.
set -- $(od -An -t u8 -j 40 -N 16 file.data)
head -c $(($1 + $2 / 2)) file.data >cut.data
for form in file packed pipe; do
	assay import -q -o $form.assay $form.data
	assay report --csv --by function --limit 1 $form.assay | tail -n 1 | sed "s/.*\(busy\).*/$form: \1/"
done
assay import -q -o stdin.assay - <pipe.data
gzip -k file.data
assay import -q -o gzip.assay file.data.gz
cat file.data | assay import -q -o piped.assay -
assay trace --csv file.assay >b
for form in gzip piped; do
	assay trace --csv $form.assay | cmp - b && echo "the same: $form"
done
assay import -q -o cut.assay cut.data
assay trace --csv pipe.assay >a
assay trace --csv stdin.assay | cmp - a && echo 'the same from standard input'
assay tree --help >/dev/null && assay tree --limit 2 file.assay | grep -c main
assay report --full file.assay | grep -e 'imported from' -e 'not in file'
assay report --full cut.assay | grep -o 'file-cut'
[ "$(assay trace --csv cut.assay | wc -l)" -gt 1 ] && echo 'what came before is there'
assay import packed.data 2>&1 >/dev/null | sed 's/[0-9][0-9.]*/N/g'
