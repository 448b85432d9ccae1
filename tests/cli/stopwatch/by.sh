# Spans that are told apart by who makes them, or by a value.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
cat >by.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static volatile long sink;
NOINLINE int fails(int i) { sink += i; return -i; }
NOINLINE long leaf(long i) { sink += i; return i % 3 ? -1 : i; }
static void *run(void *name)
{
	prctl(PR_SET_NAME, name);
	for (long i = 0; i < 10; i++) leaf(i);
	return NULL;
}
int main(int argc, char **argv)
{
	static char *const names[] = { "one", "two\a" };
	pthread_t threads[2];
	if (argc > 1 && !strcmp(argv[1], "many")) for (long i = 0; i < 3000; i++) leaf(i);
	if (argc > 1) return 0;
	for (int i = 0; i < 3; i++) fails(i);
	for (long i = 0; i < 30; i++) leaf(i % 3);
	for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, names[i]);
	for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (pid == 0) { for (int k = 0; k <= i; k++) syscall(SYS_getsid, k); execl("./other", "other", "x", NULL); }
		waitpid(pid, NULL, 0);
	}
	return 0;
}
END
cc -O1 -pthread -o by by.c || { echo "no compiler"; exit 77; }
cp by other
try() {
	assay stopwatch -q --csv -o spans.csv "$@" -- ./by || exit
	awk -F, '{ print $2, $3, $17 }' spans.csv | sed 's/ [0-9]*$//' | LC_ALL=C sort
}
values() {
	assay stopwatch -q --csv -o spans.csv "$@" || exit
	awk -F, '{ print $2, $3, $17 }' spans.csv | LC_ALL=C sort
}
values ./by:leaf --by arg0 -- ./by | head -n 4
values ./by:leaf --by retval -- ./by
values ./by:fails --by retval -- ./by | head -n 3
echo "# threads; one has a bell in its name"
try ./by:leaf --by thread
echo "# applications and processes: the name changes with the program"
values syscall:getsid syscall:execve --by application -- ./by
try syscall:getsid --by process
echo "# CPUs: all calls are somewhere"
values ./by:leaf --by cpu -- ./by | awk 'NR > 1 { sum += $2 } END { print sum }'
echo "# from one point to another"
values --from ./by:leaf --to ./by:leaf%return --by arg0 -- ./by | head -n 4
values --from ./by:leaf%return --to ./by:leaf --by retval -- ./by | head -n 4
echo "# too many groups: the rest is one row, and nothing is lost"
assay stopwatch -q --csv -o spans.csv ./by:leaf --by arg0 -- ./by many
awk -F, 'NR > 1 { sum += $3 } $17 == "(others)" { print "others", $3 } END { print NR - 1, sum }' spans.csv
assay stopwatch -q --json -o spans.json syscall:getsid --by application -- ./by
grep -o '"group": {[^}]*}' spans.json
assay stopwatch -q ./by:leaf --by thread -- ./by | sed -n 's/^.*  \(function\|by:leaf\)$/\1/p'
assay stopwatch --preset runqueue --by arg0 2>&1
assay stopwatch syscall:read --by nothing 2>&1
true
