# What dwz shares between two programs comes from the server, too, by its build-id.
command -v debuginfod debuginfod-find >/dev/null || { echo "debuginfod is not installed"; exit 77; }
mkdir served scans
cat >work.c <<'EOF'
struct deeply_shared { unsigned long first, second; };
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inner(struct deeply_shared *shared, int i)
{
	sink += shared->first * i + shared->second;
}
int main(void)
{
	struct deeply_shared shared = { sink, 2 };
	for (long n = 0; n < 1500000; n++)
		for (int i = 0; i < 100; i++)
			inner(&shared, i);
	return 0;
}
EOF
gcc -O2 -g -Wl,--build-id -o work work.c
gcc -O1 -g -Wl,--build-id -o other work.c
dwz -m served/common.debug work other
readelf -S work | grep -o debugaltlink
objcopy --only-keep-debug work served/work.debug
strip -R .gnu_debugaltlink work
assay record -e cpu-clock -o l.assay -- ./work 2>/dev/null

id=$(readelf -n served/common.debug | sed -n 's/.*Build ID: //p')
port=$(python3 -c 'import socket; print(socket.create_server(("", 0)).getsockname()[1])')
debuginfod -F -p "$port" -d "$PWD/scans/db" -v served >log 2>&1 &
server=$!
trap 'kill $server; wait $server' EXIT
tries=0
has() {
	DEBUGINFOD_CACHE_PATH=$PWD/waited$tries DEBUGINFOD_URLS=http://127.0.0.1:$port \
		debuginfod-find section "$1" "$2" >/dev/null 2>&1
}
# It knows one file before the other.
until has "$id" .debug_str && has "$(readelf -n work | sed -n 's/.*Build ID: //p')" .debug_info; do
	tries=$((tries + 1))
	[ $tries -lt 150 ] || { echo "the server does not answer"; exit 1; }
	sleep 0.2
done
before=$(wc -l <log)
export DEBUGINFOD_CACHE_PATH=$PWD/cache
DEBUGINFOD_URLS=http://127.0.0.1:$port assay symbolize l.assay 2>&1 | sed 's/[0-9][0-9]*/N/g'
tail -n +$((before + 1)) log | grep -q "GET /buildid/$id/section/.debug_str 200" && echo "the shared file was asked for"
assay report --csv --by line,function --inline l.assay | grep -o 'work.c:5,.*,inner,' | sed 's/,.*,i/ i/' | sort -u
assay sql --csv l.assay "SELECT value FROM meta WHERE key LIKE 'lines_image_%'" | grep dwz
true
