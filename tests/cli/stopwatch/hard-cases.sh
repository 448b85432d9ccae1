# Spans in the cases that are hard to measure. The program counts its calls itself.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >spans.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static jmp_buf out;
static volatile int sink;
NOINLINE int leaf(int i) { sink += i; return sink; }
NOINLINE int nested(int i) { return leaf(i) + leaf(i + 1); }
NOINLINE int recursive(int depth) { return depth > 1 ? recursive(depth - 1) + depth : leaf(1); }
NOINLINE int deep(int depth) { return depth > 1 ? deep(depth - 1) + depth : 0; }
NOINLINE int jumps(int i) { leaf(i); longjmp(out, 1); }
NOINLINE int tail(int i);
#ifdef __aarch64__
#define JUMP "b"
#else
#define JUMP "jmp"
#endif
__asm__(".text\n.globl tail\n.type tail, %function\ntail: " JUMP " leaf\n.size tail, .-tail\n");
NOINLINE void sleeps(void) { usleep(20000); }
NOINLINE void leaves(void) { leaf(1); _exit(0); }
NOINLINE void executes(void) { leaf(1); execl("/bin/true", "true", NULL); }
static void handle(int signal) { leaf(signal); }
NOINLINE void signaled(void) { leaf(1); raise(SIGUSR1); }
NOINLINE void altstack(void) { leaf(1); raise(SIGUSR1); leaf(1); }
static sigjmp_buf from_handler;
NOINLINE void escapes(int signal) { leaf(signal); siglongjmp(from_handler, 1); }
/* Handlers run above (or below) the stack of this thread, which is in the middle of three. */
#define STACK_BYTES (1 << 20)
static void *run_signals(void *arg)
{
	char *other = arg;
	void (*handler)(int) = *other ? escapes : handle;
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	sigaltstack(&(stack_t){ .ss_sp = other, .ss_size = STACK_BYTES }, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 100; i++) {
		if (handler == handle) altstack();
		else if (!sigsetjmp(from_handler, 1)) raise(SIGUSR1);
		else leaf(1);
	}
	return NULL;
}
static void on_other_stack(int escape, int above)
{
	pthread_attr_t attr;
	pthread_t thread;
	char *stacks = mmap(NULL, 3 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *other = stacks + (above ? 2 * STACK_BYTES : 0);
	*other = escape;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks + STACK_BYTES, STACK_BYTES);
	pthread_create(&thread, &attr, run_signals, other);
	pthread_join(thread, NULL);
}
static long now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}
static void *run(void *unused) { for (int i = 0; i < 10000; i++) nested(i); return NULL; }
static void *run_late(void *unused) { usleep(100000); return run(NULL); }
static int in_child(void (*function)(void))
{
	pid_t pid = fork();
	if (pid == 0) { function(); _exit(1); }
	return waitpid(pid, NULL, 0);
}
int main(int argc, char **argv)
{
	const char *what = argv[1];
	if (!strcmp(what, "recursive")) for (int i = 0; i < 100; i++) recursive(20);
	if (!strcmp(what, "deep")) for (int i = 0; i < 10; i++) deep(100);
	if (!strcmp(what, "jumps")) for (volatile int i = 0; i < 50; i++) if (!setjmp(out)) jumps(i);
	if (!strcmp(what, "tail")) for (int i = 0; i < 30; i++) tail(i);
	if (!strcmp(what, "sleeps")) {
		long begin_ns = now_ns();
		for (int i = 0; i < 5; i++) sleeps();
		FILE *own = fopen("own", "w");
		fprintf(own, "%ld\n", now_ns() - begin_ns);
		fclose(own);
	}
	if (!strcmp(what, "leaves")) in_child(leaves);
	if (!strcmp(what, "executes")) in_child(executes);
	if (!strcmp(what, "signaled")) { signal(SIGUSR1, handle); for (int i = 0; i < 20; i++) signaled(); }
	if (!strcmp(what, "altstack")) { on_other_stack(0, 0); on_other_stack(0, 1); }
	if (!strcmp(what, "escapes")) { on_other_stack(1, 0); on_other_stack(1, 1); }
	if (!strcmp(what, "threads")) {
		pthread_t threads[8];
		for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, run, NULL);
		for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
	}
	if (!strcmp(what, "orphan")) {	/* the first thread exits before the other begins */
		pthread_t thread;
		pthread_create(&thread, NULL, run_late, NULL);
		pthread_exit(NULL);
	}
	return 0;
}
END
cc -O1 -pthread -fno-optimize-sibling-calls -o spans spans.c || { echo "no compiler"; exit 77; }
for what in recursive deep jumps tail sleeps leaves executes signaled altstack escapes threads orphan; do
	functions="$what leaf"
	[ $what != threads ] && [ $what != orphan ] || functions="nested leaf"
	points=
	for function in $functions; do points="$points ./spans:$function"; done
	assay stopwatch -q --csv $points -- ./spans $what >$what.csv || exit
	[ $what != sleeps ] || mv own own-of-sleeps
	echo "# $what"
	tail -n +2 $what.csv | cut -d, -f2,3,13-16 | LC_ALL=C sort | tee counts
	# The kernel's return probes count the same, unless the program is ended by them.
	[ $what != altstack ] || continue
	assay stopwatch -q --csv --return-probes $points -- ./spans $what |
		tail -n +2 | cut -d, -f2,3,13-16 | LC_ALL=C sort | diff counts -
done
# C++ exceptions leave functions, too.
cat >throws.cc <<'END'
namespace space {
	__attribute__((noinline)) int thrower(int i) { if (i % 2) throw i; return i; }
	__attribute__((noinline)) int between(int i) { return thrower(i) + 1; }
}
int main() { int caught = 0; for (int i = 0; i < 100; i++) try { space::between(i); } catch (int) { caught++; } return 0; }
END
echo "# exceptions"
if c++ -O1 -o throws throws.cc 2>/dev/null; then
	assay stopwatch -q --csv './throws:space::thrower' './throws:space::between' -- ./throws |
		tail -n +2 | cut -d, -f2,3,13-16 | LC_ALL=C sort
else
	echo "no C++ compiler"
fi
# 5 sleeps of at least 20 ms, which took no longer than by the program's own clock
awk -F, -v own="$(cat own-of-sleeps)" '$2 == "sleeps" { print ($7 >= 20e6 && $4 >= 100e6 && $4 <= own) }' sleeps.csv
# A library that is loaded again and again, at addresses that may differ.
cat >plugin.c <<'END'
static volatile int sink;
int plugin_work(int i) { return sink += i; }
END
cat >loads.c <<'END'
#include <dlfcn.h>
int main(void)
{
	for (int i = 0; i < 10; i++) {
		void *plugin = dlopen("./plugin.so", RTLD_NOW);
		int (*work)(int) = (int (*)(int))dlsym(plugin, "plugin_work");
		for (int k = 0; k < 5; k++) work(k);
		dlclose(plugin);
	}
	return 0;
}
END
cc -O1 -shared -fPIC -o plugin.so plugin.c && cc -O1 -o loads loads.c -ldl
echo "# dlclose"
assay stopwatch -q --csv ./plugin.so:plugin_work -- ./loads | tail -n +2 | cut -d, -f2,3,13-16
# A call that makes a process returns in the child, too; what the child does not return from is not
# counted. Threads return from the system call only.
cat >forks.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static volatile int sink;
NOINLINE pid_t make(void) { pid_t pid = fork(); sink += (int)pid; return pid; }
NOINLINE void begin(void) { if (make() == 0) execl("/bin/true", "true", NULL); sink++; }
static void *run(void *unused) { return NULL; }
NOINLINE void start(void) { pthread_t thread; pthread_create(&thread, NULL, run, NULL); pthread_join(thread, NULL); sink++; }
int main(void)
{
	for (int i = 0; i < 5; i++) {
		if (make() == 0) { usleep(20000); _exit(0); }
		begin();
		start();
	}
	while (wait(NULL) > 0) sink++;
	return 0;
}
END
cc -O1 -pthread -o forks forks.c
echo "# forks"
assay stopwatch -q --csv --by retval-sign -o forks.csv ./forks:make ./forks:begin ./forks:start -- ./forks
tail -n +2 forks.csv | cut -d, -f2,3,13-17 | LC_ALL=C sort
assay stopwatch -q --csv --by retval-sign -o forks.csv --preset fork -- ./forks
awk -F, 'NR > 1 { calls[$17] += $3; missed += $13 + $14 } END { for (sign in calls) print sign, calls[sign], missed }' \
	forks.csv | LC_ALL=C sort
