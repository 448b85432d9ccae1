# System calls, children, and what ends with the command.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >calls.c <<'END'
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	const struct timespec time = { .tv_nsec = 20000000 };
	for (int i = 0; i < 1000; i++) syscall(SYS_getppid);
	struct timespec begin, end;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 3; i++) syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	FILE *own = fopen("own", "w");
	fprintf(own, "%ld\n", (end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec);
	fclose(own);
	pid_t pid = fork();
	for (int i = 0; i < 500; i++) syscall(SYS_getsid, 0);
	if (pid == 0) execl("/bin/true", "true", NULL);
	waitpid(pid, NULL, 0);
	return 7;
}
END
cc -O1 -o calls calls.c || { echo "no compiler"; exit 77; }
assay stopwatch -q --csv -o calls.csv syscall:getppid syscall:getsid syscall:clock_nanosleep \
	syscall:execve -- ./calls
echo "exit $?"
tail -n +2 calls.csv | cut -d, -f1-3,13-16 | LC_ALL=C sort
# 3 sleeps of at least 20 ms, which took no longer than by the program's own clock
awk -F, -v own="$(cat own)" '$2 == "clock_nanosleep" { print ($7 >= 20e6 && $4 >= 60e6 && $4 <= own) }' calls.csv
# All functions are measured for the same time, although probes are removed one after the other.
cat >pairs.c <<'END'
static volatile int sink;
__attribute__((noinline, noclone)) void first(int i) { sink += i; }
__attribute__((noinline, noclone)) void second(int i) { sink -= i; }
__attribute__((noinline, noclone)) void third(int i) { sink ^= i; }
int main(void) { for (int i = 0;; i++) { first(i); second(i); third(i); } }
END
cc -O1 -o pairs pairs.c
cp pairs others
./others &
assay stopwatch -q --csv -d 0.3 -o pairs.csv ./others:first ./pairs:first ./others:second ./others:third
kill $!
awk -F, '$1 == "./others" { n++; if (!least || $3 < least) least = $3; if ($3 > most) most = $3 }
	END { print n, (least > 100), (most - least <= 2) }' pairs.csv
