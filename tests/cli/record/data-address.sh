# Which memory samples accessed: page faults and breakpoints, whose addresses the program tells.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
cat >program.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#define PAGES 300
static volatile long watched[64];
static __attribute__((noinline)) void touch(volatile char *at)
{
	for (long i = 0; i < PAGES; i++)
		at[i * 4096 + i * 8 % 4096] = 1;
}
static __attribute__((noinline)) void store(void)
{
	for (long i = 0; i < 100; i++)
		watched[i % 8] = i;
}
int main(void)
{
	char *at = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(at, PAGES * 4096, MADV_NOHUGEPAGE);
	touch(at);
	store();
	printf("%p %p\n", (void *)at, (void *)watched);
	return 0;
}
END
cc -O1 -no-pie -o program program.c || { echo "no compiler"; exit 77; }

# touched DIMENSION SIZE: whether the rows of touch() are those that the program touched
touched() {
	assay report faults.assay --csv --symbol touch --by "$1" | python3 -c "
import csv, sys
begin = int(sys.argv[1], 16)
rows = {int(row[sys.argv[2]], 16): int(row['samples']) for row in csv.DictReader(sys.stdin)}
wanted = {begin + i * 4096 + i * 8 % 4096 & ~(int(sys.argv[3]) - 1): 1 for i in range(300)}
print(sys.argv[2], 'as touched' if rows == wanted else f'{len(rows)} rows: {rows}')" "$at" "$1" "$2"
}

echo "--- page faults"
at=$(assay record -q -e page-faults -c 1 --data-address -o faults.assay -- ./program | cut -d ' ' -f 1)
touched data-page 4096
touched cache-line 64
touched data-address 1
assay sql faults.assay "SELECT name, is_counter, type FROM event"
assay trace --symbol touch --fields counters faults.assay | sed -n 2p | sed "s/${at%000}/BEGIN/"
assay trace --symbol touch --fields counters --json faults.assay | grep -c '"data-address": "0x'
echo "--- the same as perf's"
at=$(perf record -q -e page-faults -c 1 -d -o perf.data ./program | cut -d ' ' -f 1)
assay import -q -o faults.assay perf.data
touched data-address 1
echo "--- in the whole system, and merged with a recording without addresses"
at=$(assay record -q -a -e minor-faults -c 1 --data-address -o faults.assay -- ./program | cut -d ' ' -f 1)
touched data-address 1
assay record -q -e minor-faults -c 1 -o plain.assay -- ./program >/dev/null
assay merge -q -o merged.assay plain.assay faults.assay
mv merged.assay faults.assay
assay report --csv --symbol touch --by data-address faults.assay | awk -F , '/none/ { print $3 " without an address" }'
echo "--- a breakpoint"
watch="mem:0x$(nm program | awk '$3 == "watched" { print $1 }'):w"
perf record -q -e "$watch" -o perf.data ./program >words 2>why || { tail -n 1 why; exit 77; }
assay record -q -e "$watch" -c 1 --data-address -o watched.assay -- ./program >words
assay report --csv --by function,data-address watched.assay |
	awk -F , -v at="$(cut -d ' ' -f 2 words)" '$2 == "store" && $3 == at { print $5 " stores" }'
echo "--- not known"
{
	assay record -q --data-address -e cpu-clock -o no.assay -- true
	assay record -q --data-address --collector bpf -e page-faults -o no.assay -- true
	assay record -q -e page-faults -o no.assay -- true
	for by in data-page data-source latency; do assay report --by $by no.assay; done
	assay report --by latency faults.assay
	assay top --by cache-line
	assay diff --by cache-line faults.assay faults.assay
} 2>&1 | grep -v "^Try"
