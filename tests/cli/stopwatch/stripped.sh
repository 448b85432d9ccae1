# Without the symbols of static functions, calls are counted right, too: a jump to a function is told
# from a jump to a part of the same function that is elsewhere.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >calls.c <<'END'
#include <stdlib.h>
static volatile int sink;
static __attribute__((noinline, noclone)) int inner(int x) { sink += x; return sink & 1; }
static __attribute__((noinline, noclone, cold)) int rare(int x) { sink -= x; return sink & 3; }
/* ends with a jump */
__attribute__((noinline, noclone)) int tail(int x) { if (x & 1) sink++; return inner(x + 1); }
/* either a jump or a return, with a frame in between */
__attribute__((noinline, noclone)) int either(int x)
{
	int sum = inner(x) + inner(x + 1);
	if (sum > 100)
		return sum;
	return x % 2 ? inner(sum) : sum;
}
/* its cold part is elsewhere */
__attribute__((noinline, noclone)) int split(int x, int y)
{
	int sum = inner(x);
	if (__builtin_expect(x % 10 == 0, 0)) {
		for (int i = 0; i < y; i++)
			sum += rare(i) * rare(x);
		if (sum < 0)
			abort();
	}
	return sum + inner(y);
}
int main(void)
{
	for (int i = 0; i < 1000; i++)
		sink += tail(i) + either(i) + split(i, i % 7);
	return 0;
}
END
cc -O2 -rdynamic -o calls calls.c || { echo "no compiler"; exit 77; }
strip calls
nm calls 2>&1 | grep -c 'no symbols'
for way in "" --return-probes; do
	assay stopwatch -q --csv -o calls.csv $way ./calls:tail ./calls:either ./calls:split -- ./calls
	tail -n +2 calls.csv | cut -d, -f2,3,13-16 | sort
done
