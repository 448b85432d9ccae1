# Why calls are slow: the stopwatch makes a recording, too.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >server.c <<'END'
#include <unistd.h>
static volatile unsigned long sink;
static __attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += i * i; }
__attribute__((noinline, noclone)) void request(int i)
{
	spin(100000);
	if (i % 50 == 0)
		usleep(20000);
}
int main(void)
{
	for (int i = 0; i < 1000; i++)
		request(i);
	return 3;
}
END
cc -O1 -o server server.c || { echo "no compiler"; exit 77; }
assay stopwatch --slow 5ms -o slow.assay --json ./server:request -- ./server >table 2>messages
echo "exit $?"
tail -n 1 messages
jq -r '.spans[] | "\(.function) \(.calls) \(.slow_calls | round) \(.p50.ns < 5000000) \(.max_ns >= 20000000)"' table
# slow calls have all 20 sleeps
assay report -i slow.assay --span slow --wall --by state,function --csv |
	awk -F, '$1 == "blocked" { blocked += $7 } END { print (blocked >= 380e6) }'
assay diff --wall --span fast:slow --json slow.assay |
	jq -r '.rows[] | select(.function == "hrtimer_nanosleep") |
	"\(.significant) \(.change_seconds_per_event > 0.015)"'
exec 2>&1
assay stopwatch --slow 5ms ./server:request -- ./server
echo "exit $?"
assay stopwatch --slow 5ms -o other.assay --by retval ./server:request -- ./server
echo "exit $?"
assay stopwatch --slow soon -o other.assay ./server:request -- ./server
echo "exit $?"
assay stopwatch -q --slow 5ms -o other.assay ./server:request -- ./no-program
echo "exit $?"
ls other.assay
echo "# all calls in order"
assay stopwatch --trace ./server:request -- ./server
assay stopwatch --trace -o traced.assay --csv ./server:request -- ./server 2>messages | cut -d, -f2,3 | tail -n 1
tail -n 1 messages
eval "$(tail -n 1 messages | sed 's/.*order: //')" --csv >calls.csv
wc -l <calls.csv
awk -F, 'NR > 1 { if ($1 < last) wrong++; last = $1; long += $6 + 0 >= 20e6 } END { print wrong + 0, long }' calls.csv
