# Calls that are told apart by the function that makes them.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
cat >work.c <<'END'
static volatile long sink;
__attribute__((noinline, noclone)) long work(long i) { sink += i; return i; }
__attribute__((noinline, noclone)) long inside(long i) { return work(i) + 1; }
END
cat >caller.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
long work(long i), inside(long i);
NOINLINE long once(long i) { return work(i) + 1; }
NOINLINE long twice(long i) { long sum = work(i); return sum + work(i + 1); }
NOINLINE int compare(const void *a, const void *b) { return (int)work(*(const char *)a - *(const char *)b); }
NOINLINE long child_calls(void) { return work(1) + 1; }
static long generated(long (*function)(long))
{
#ifdef __x86_64__
	static const unsigned char code[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };
#else
	static const unsigned int code[] = { 0xa9bf7bfd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#endif
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, (char *)at + sizeof(code));
	return ((long (*)(long (*)(long)))at)(function);
}
int main(int argc, char **argv)
{
	char letters[] = "ba";
	long sum = 0;
	if (argc > 1 && !strcmp(argv[1], "xfork")) {
		if (fork() == 0) return child_calls() < 0;
		wait(NULL);
		sleep(1);
		return 0;
	}
	for (int i = 0; i < 10; i++) sum += once(i);
	for (int i = 0; i < 11; i++) sum += twice(i);
	for (int i = 0; i < 3; i++) sum += inside(i);
	for (int i = 0; i < 4; i++) sum += generated(work);
	qsort(letters, 2, 1, compare);
	sum += work(1);
	if (argc > 1) sleep(1);
	for (int i = 0; i < (argc > 1 ? 5 : 0); i++) sum += once(i);
	return sum == 1;
}
END
{ cc -O1 -shared -fPIC -fno-optimize-sibling-calls -o libwork.so work.c &&
	cc -O1 -fno-optimize-sibling-calls -o caller caller.c ./libwork.so; } || { echo "no compiler"; exit 77; }
cat >callers <<'END'
#!/bin/sh
assay stopwatch -q --csv -o spans.csv --by caller "$@" || exit
awk -F, 'NR > 1 { print $17, $2, $3 }' spans.csv | LC_ALL=C sort
END
chmod +x callers
./callers ./libwork.so:work -- ./caller
./callers --return-probes ./libwork.so:work -- ./caller | cksum >return-probes
./callers ./libwork.so:work -- ./caller | cksum | cmp - return-probes && echo "the same with return probes"
echo "# two functions; the one that is called back is called by libc"
./callers './libwork.so:*' ./caller:compare -- ./caller | grep inside
assay stopwatch -q --json -o spans.json ./caller:compare --by caller -- ./caller
grep -o '"group": {[^}]*}' spans.json | sed 's/libc.so.6:[a-z_.0-9]*/libc.so.6:.../'
echo "# intervals"
assay stopwatch -q --csv -o spans.csv -I 700ms --by caller ./libwork.so:work -- ./caller x
grep -h -o 'work,[0-9]*,.*once' spans.csv | sed 's/,.*,/,/' | head -n 3
grep -c 'caller:once' spans.csv
echo "# a process that has forked and is gone"
./callers ./libwork.so:work -- ./caller xfork
echo "# a program on a file system that we cannot see, and on an overlay"
cat >hidden <<'END'
set -e
mount -t tmpfs none /mnt
mkdir /mnt/lower /mnt/upper /mnt/work /mnt/all
cp caller /mnt/lower/
[ "$1" = tmpfs ] || mount -t overlay overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work /mnt/all
[ "$1" = tmpfs ] && exec /mnt/lower/caller x
shift
exec /mnt/all/caller x$1
END
if unshare -m sh ./hidden tmpfs && unshare -m sh ./hidden overlay; then
	./callers ./libwork.so:work -- unshare -m sh ./hidden tmpfs | grep once
	./callers ./libwork.so:work -- unshare -m sh ./hidden overlay | grep once
	./callers ./libwork.so:work -- unshare -m sh ./hidden overlay fork
else
	echo "overlay not allowed" >&2
	exit 77
fi
echo "# with the time that calls waited"
assay stopwatch -q ./libwork.so:work --by caller --off-cpu -- ./caller | sed -n 's/^ *\([0-9]*\) .*  \(caller:[a-z]*\)  .*work$/\1 \2/p' | LC_ALL=C sort
for point in syscall:read kernel:vfs_read; do assay stopwatch "$point" --by caller 2>&1; done
assay stopwatch --from ./caller:once --to ./caller:twice --by caller 2>&1
assay stopwatch --preset runqueue --by caller 2>&1
true
