# kill -9 leaves no probe behind, and the program goes on, also from the middle of a call.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >program.c <<'END'
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline, noclone)) int work(int i)
{
	usleep(2000);	/* so that it is in a call most of the time */
	return i + 1;
}
/* The code of a function changes while a probe is at its entry. */
static int has_probe(const unsigned char *before)
{
	unsigned char now[16];

	for (int i = 0; i < 16; i++)
		now[i] = ((const volatile unsigned char *)work)[i];
	return memcmp(now, before, sizeof(now)) != 0;
}
static void wait_until(int wanted, const unsigned char *before, const char *text)
{
	time_t end = time(NULL) + 60;
	int count = 0;

	for (int i = 0; has_probe(before) != wanted && time(NULL) < end; i++)
		count += work(i) == i + 1 ? 0 : 1;
	for (int i = 0; i < 20; i++)
		count += work(i) == i + 1 ? 0 : 1;
	printf("%s: %d, wrong results: %d\n", text, has_probe(before) == wanted, count);
	fflush(stdout);
}
int main(void)
{
	unsigned char before[16];

	memcpy(before, (const void *)work, sizeof(before));
	wait_until(1, before, "probe is there");
	wait_until(0, before, "probe is gone");
	return 5;
}
END
cc -O1 -o program program.c || { echo "no compiler"; exit 77; }
kill_it() {	# how, command of assay
	echo "$1"; shift
	./program >states &
	program=$!
	assay "$@" >table 2>messages &
	assay=$!
	while kill -0 $program && ! grep -q there states; do sleep 0.05; done 2>/dev/null
	kill -KILL $assay || cat messages
	wait $assay
	echo "assay $?"
	wait $program
	echo "program $?"
	cat states
}
kill_it "stopwatch" stopwatch ./program:work
kill_it "stopwatch, returns by the kernel" stopwatch --return-probes ./program:work
kill_it "record" record -q -a -d 120 -o killed.assay --stopwatch ./program:work
