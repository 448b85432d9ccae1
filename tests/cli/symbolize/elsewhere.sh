# A recording of stripped files gets names and lines from files of another place.
mkdir -p root debug/.build-id
cat >work.c <<'END'
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
END
gcc -O2 -g -Wl,--build-id -o work work.c
id=$(readelf -n work | sed -n 's/.*Build ID: //p')
mkdir -p "debug/.build-id/$(echo "$id" | cut -c1-2)"
objcopy --only-keep-debug work "debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
strip work
assay record -e cpu-clock -o l.assay -- ./work 2>/dev/null
function() { assay report --csv --by function l.assay | grep -c busy; }
mkdir -p "root$PWD" && mv work "root$PWD/"
function
assay symbolize --sysroot=root --debug-dir=debug l.assay 2>&1 | sed 's/[0-9][0-9]*/N/g'
function
assay report --csv --by line l.assay | grep -q 'work.c:' && echo lines
assay symbolize --debug-dir=debug nothing.assay 2>&1; echo $?
