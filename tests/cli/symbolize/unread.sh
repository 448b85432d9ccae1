# Files that could not be read when a recording was imported are used once they are found.
command -v perf >/dev/null || { echo 'perf is not installed'; exit 77; }
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
# Makes the program $1, and a recording of it that is imported where the program is not.
import_without()
{
	gcc -O2 -g work.c -o "$@" || exit 1
	perf record -q -N -e cpu-clock:u -F 999 -o "$1.data" -- "./$1" 2>why ||
		{ tail -n 1 why; exit 77; }
	nm "$1" | sed -n 's/ t busy//p' >"$1.address"
	mkdir -p "$1.root$PWD" && mv "$1" "$1.root$PWD/"
	assay import -q "$1.data" -o "$1.assay"
}
# The function $2. Its address must be that of the program's symbol table.
function()
{
	assay sql --csv "$1.assay" "SELECT f.name, min(l.vaddr BETWEEN f.vaddr AND
		f.vaddr + f.size_bytes), printf('%016x', f.vaddr) FROM hot_function f
		JOIN location l ON l.function = f.id WHERE f.name LIKE '%$2%'" |
		sed "1d; s/$(cat "$1.address")/as in nm/"
}
line() { assay report --csv --by line "$1.assay" 2>/dev/null | grep -o -m 1 'work.c:5,'; }

echo 'A program at fixed addresses:'
import_without fixed -no-pie -Wl,--build-id
function fixed fixed
assay symbolize fixed.assay 2>/dev/null
line fixed || echo no lines
assay symbolize --sysroot=fixed.root fixed.assay 2>/dev/null
function fixed busy
line fixed
assay sql fixed.assay "SELECT count(*) FROM image WHERE unread"

echo 'Its debug file alone, which does not tell where in the program the code was:'
import_without debug -no-pie -Wl,--build-id
mkdir -p debug.files/.build-id
id=$(readelf -n "debug.root$PWD/debug" | sed -n 's/.*Build ID: \(..\)/\1\//p')
mkdir -p "debug.files/.build-id/${id%/*}"
objcopy --only-keep-debug "debug.root$PWD/debug" "debug.files/.build-id/$id.debug"
assay symbolize --debug-dir=debug.files debug.assay 2>/dev/null
line debug || echo no lines

echo 'The same of a program whose offsets are its addresses:'
import_without offsets -pie -Wl,--build-id
id=$(readelf -n "offsets.root$PWD/offsets" | sed -n 's/.*Build ID: \(..\)/\1\//p')
mkdir -p "debug.files/.build-id/${id%/*}"
objcopy --only-keep-debug "offsets.root$PWD/offsets" "debug.files/.build-id/$id.debug"
assay symbolize --debug-dir=debug.files offsets.assay 2>/dev/null
line offsets

echo 'Without a build-id:'
import_without bare -no-pie -Wl,--build-id=none
assay symbolize --sysroot=bare.root bare.assay 2>/dev/null
function bare busy
assay report --by line bare.assay 2>&1 >/dev/null | sed "s|$PWD|DIR|"
assay report bare.assay | grep -A 1 'no symbols' | tr -s ' \n' ' ' | sed "s|$PWD|DIR|; s/^ [0-9.]*//"
echo
assay symbolize --sysroot=bare.root --trust-paths bare.assay 2>/dev/null
function bare busy
line bare
assay report bare.assay | tr '\n' ' ' | grep -o 'the names of.*verified'
assay sql bare.assay "SELECT reason, count FROM loss WHERE reason = 'image-trusted'"
assay sql bare.assay "SELECT value FROM meta WHERE key LIKE 'trusted_image_%'" | sed "s|$PWD|DIR|"

echo 'From then on no other file is used:'
gcc -O2 -g -no-pie -Wl,--build-id=none -Dbusy=other work.c -o "bare.root$PWD/bare"
assay symbolize --sysroot=bare.root --trust-paths bare.assay 2>/dev/null
function bare busy
assay sql bare.assay "SELECT reason, count FROM loss WHERE reason = 'image-trusted'"
true
