# Probes that take too much are removed, and the program goes on without them.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >hot.c <<'END'
#include <stdio.h>
#include <time.h>
__attribute__((noinline, noclone)) long hot(long i) { __asm__ volatile("" : "+r"(i)); return i + 1; }
int main(void)
{
	struct timespec start, now;
	long calls = 0;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 0; i < 100; i++) calls = hot(calls);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 1500);
	printf("%ld\n", calls);
	return 3;
}
END
cc -O1 -o hot hot.c || { echo "no compiler"; exit 77; }
for way in "" "--by thread" "-I 200ms"; do
	assay stopwatch --csv -o spans.csv $way --max-overhead 1 ./hot:hot -- ./hot 2>messages >calls
	echo "exit $?"
	grep -o 'more than 1%, and were removed' messages
	# Some calls were measured, and most were not.
	cut -d, -f2- spans.csv | awk -F, -v all="$(cat calls)" '
		NR > 1 { calls += $2 == "hot" ? $3 : $2 }
		END { print (calls > 100), (calls < all / 2) }'
done
assay stopwatch --csv -o spans.csv --max-overhead 100 ./hot:main -- ./hot 2>&1 >calls | grep -c removed || true
assay record -o spans.assay --max-overhead 1 --stopwatch ./hot:hot -- ./hot 2>&1 >calls |
	grep -o 'more than 1%, and were removed'
assay report -i spans.assay --stopwatch --csv | awk -F, -v all="$(cat calls)" '
	NR > 1 { print ($3 > 100), ($3 < all / 2) }'
