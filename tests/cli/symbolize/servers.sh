# Lines of stripped files, and of files that are not here, from the debuginfod server.
command -v debuginfod debuginfod-find >/dev/null || { echo "debuginfod is not installed"; exit 77; }
mkdir served scans lib
cat >hot.c <<'EOF'
static volatile unsigned long sink;
static inline void inner(unsigned long n, int i)
{
	sink += n * i;
}
void hot(unsigned long n)
{
	for (int i = 0; i < 100; i++)
		inner(n, i);
}
EOF
cat >work.c <<'EOF'
extern void hot(unsigned long n);
static volatile unsigned long own;
int main(int argc, char **argv)
{
	long here = argc > 1 ? 200000000 : 20000000;

	for (long i = 0; i < here; i++)
		own += i;
	for (long i = 0; i < (argc > 1 ? 200000 : 2000000); i++)
		hot(i);
	return 0;
}
EOF
gcc -O2 -g -gz=zlib -shared -fPIC -Wl,--build-id -o lib/libhot.so hot.c
gcc -O2 -g -Wl,--build-id -o work work.c lib/libhot.so -Wl,-rpath,"$PWD/lib"
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
hot_id=$(id_of lib/libhot.so) work_id=$(id_of work)
for file in work lib/libhot.so; do
	objcopy --only-keep-debug $file served/${file##*/}.debug
	strip $file
done
assay record -e cpu-clock -o first.assay -- ./work 2>/dev/null
assay record -e cpu-clock -o second.assay -- ./work here 2>/dev/null

port=$(python3 -c 'import socket; print(socket.create_server(("", 0)).getsockname()[1])')
debuginfod -F -p "$port" -d "$PWD/scans/db" -v served >log 2>&1 &
server=$!
trap 'kill $server; wait $server' EXIT
url=http://127.0.0.1:$port
tries=0
for id in "$hot_id" "$work_id"; do
	until DEBUGINFOD_CACHE_PATH=$PWD/waited$tries DEBUGINFOD_URLS=$url \
		debuginfod-find debuginfo "$id" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 150 ] || { echo "the server does not answer"; exit 1; }
		sleep 0.2
	done
done
export DEBUGINFOD_CACHE_PATH=$PWD/cache
names() { assay report --csv --by function "$1" 2>/dev/null | grep -o '\<main\>'; }
lines() { assay report --csv --by line "$1" 2>&1 | grep -o '^\(hot\|work\).c' | sort -u; }
asked() { grep -o 'GET /buildid/[^ ]* [0-9]* [0-9]*' log | tail -n +$((before + 1)); }
before=$(grep -c 'GET /buildid' log)

echo "== without servers"
cp first.assay none.assay
lines none.assay
names none.assay
echo "== a report without lines asks nobody"
DEBUGINFOD_URLS=$url assay report --csv first.assay >/dev/null
asked | wc -l
echo "== by section, the hottest image first"
cp first.assay here.assay
DEBUGINFOD_URLS=$url assay symbolize here.assay 2>&1 | sed 's/[0-9][0-9]*/N/g'
lines here.assay
names here.assay
asked | grep -v /section/
order() { asked | sed 's,.*buildid/\([^/]*\)/.*,\1,' | uniq | sed "s/$hot_id/libhot/; s/$work_id/work/"; }
order | grep -n 'libhot\|work'
sections=$(asked | awk '$3 == 200 { sum += $4 } END { print sum }')
whole=$(cat served/* | wc -c)
[ "$sections" -lt "$whole" ] && echo "less than the files"
before=$(grep -c 'GET /buildid' log)
rm -r cache
DEBUGINFOD_URLS=$url assay symbolize second.assay 2>/dev/null
order | grep -n 'libhot\|work'
echo "== inlined functions"
assay report --csv --by line,function --inline here.assay | grep -o 'hot.c:4,.*,inner,' | sed 's/,.*,i/ i/' | sort -u
echo "== files that are not here"
mkdir away
mv work lib/libhot.so away
cp first.assay away.assay
rm -r cache
DEBUGINFOD_URLS=$url assay report --csv --by line away.assay 2>&1 | grep -o '^\(hot\|work\).c' | sort -u
