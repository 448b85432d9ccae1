# Values of arguments and results, measured instead of durations.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >values.c <<'END'
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE int some(long first, int second) { __asm__ volatile("" : "+r"(first)); return second; }
int main(void)
{
	for (int i = 1; i <= 1000; i++) some(i, i % 10 - 1);
	some((long)&main | 1l << 50, -2);
	for (int i = 0; i < 5; i++) if (read(-1, 0, 0) != -1) return 1;
	for (int i = 0; i < 7; i++) if (getppid() < 0) return 1;
	return 0;
}
END
cc -O1 -o values values.c || { echo "no compiler"; exit 77; }
# Columns: 3 calls, 4 total, 5 mean, 7 min, 8 p50, 12 max, 17 those without an amount
for way in "" --return-probes; do
	for value in arg0 arg1 retval; do
		assay stopwatch -q --csv $way --value $value ./values:some -- ./values |
			cut -d, -f3,4,5,7,12,17
	done
done
assay stopwatch -q --csv --value retval syscall:read syscall:getppid -- ./values |
	awk -F, '$2 == "read" { print "read", $17 } $2 == "getppid" { print $2, $3, $17 }' | LC_ALL=C sort
assay stopwatch -q --json --value arg0 --by thread ./values:some -- ./values >values.json
python3 -c '
import json
[span] = json.load(open("values.json"))["spans"]
print([span[key] for key in ("value", "calls", "total", "mean", "min", "max", "no_amount")])
print(abs(span["p50"]["value"] - 500) < 35, span["p90"]["low"] < 900 < span["p90"]["high"])
print(sum(bucket["calls"] for bucket in span["histogram"]), sorted(key for key in span if key.endswith("_ns")))'
assay stopwatch -q --value arg0 ./values:some -- ./values | sed -n '1,2p; $p' | sed 's/  */ /g'
assay stopwatch -q --value arg0 -I 100ms ./values:some -- ./values | sed -n '2,3p' | sed 's/  */ /g'
assay stopwatch --value arg6 ./values:some 2>&1 | head -n 1
assay stopwatch --value field ./values:some 2>&1 | head -n 1
assay stopwatch --value arg0 --off-cpu ./values:some 2>&1 | head -n 1
assay stopwatch --value arg0 --preset runqueue 2>&1 | head -n 1
