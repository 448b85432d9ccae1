# Intervals: together they have all calls, each once.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 300; i++) { syscall(SYS_getsid, i % 2); usleep(1000); }
	return 0;
}
END
cc -O1 -o calls calls.c || { echo "no compiler"; exit 77; }
sums() { awk -F, 'NR > 1 { sum[$3 $18] += $4; rows[$3 $18]++; if ($4 == 0) empty++ }
	END { for (what in sum) print what, sum[what], (rows[what] > 1); print "empty", empty + 0 }' "$1" | LC_ALL=C sort; }
assay stopwatch -q -I 50 --csv -o spans.csv syscall:getsid syscall:getpgid -- ./calls
head -n 1 spans.csv | cut -d, -f1-4
sums spans.csv
assay stopwatch -q -I 0.05s --csv -o spans.csv syscall:getsid --by retval -- sh -c './calls; ./calls' >/dev/null
awk -F, 'NR > 1 { sum += $4 } END { print sum }' spans.csv
assay stopwatch -q -I 100ms --json -o spans.json syscall:getsid -- ./calls
python3 -c '
import json
intervals = json.load(open("spans.json"))["intervals"]
times = [interval["seconds"] for interval in intervals]
print(len(times) > 1, times == sorted(times))
print(sum(span["calls"] for interval in intervals for span in interval["spans"]))'
assay stopwatch -q -I 100ms syscall:getsid -- ./calls | sed -n 's/^after [0-9.]* s:$/after/p' | sort -u
assay stopwatch -q -I 1h -d 0.1 syscall:getsid 2>&1 | head -n 1
assay stopwatch -I 0 syscall:getsid 2>&1 | head -n 1
assay stat -I 0.1s -- sleep 0.25 2>&1 | grep -c context-switches | awk '{ print ($1 >= 3) }'
