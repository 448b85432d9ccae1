# What cannot be measured, and why.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
cat >some.c <<'END'
static __attribute__((noinline)) int hidden(int i) { __asm__ volatile(""); return i + 1; }
int shown(int i) { return hidden(i); }
#ifdef __x86_64__
__asm__(".globl locked\n.type locked, @function\nlocked: lock incl 8(%rsp)\nret\n.size locked, .-locked\n");
#else
int locked(void) { return 1; }
#endif
int main(void) { return shown(-1); }
END
cc -O1 -rdynamic -o whole some.c || { echo "no compiler"; exit 77; }
cp whole stripped
strip stripped
echo text >text
try() { assay stopwatch "$@" 2>&1 | grep -v '^Try'; }
try
try malloc
try kernel:do_sys_openat2
try ./nothing:main
try no-such-image:main
try ./text:main
try ./whole:no_such
try ./stripped:hidden
try syscall:no_such
[ "$(uname -m)" != x86_64 ] || try -d 0.1 ./whole:locked
[ "$(uname -m)" != x86_64 ] || try -d 0.1 --csv './whole:re:^(locked|shown)$' | sed 's/;.*//'
try ./whole:shown --
try -j --csv ./whole:shown
assay stopwatch -q --csv ./whole:hidden ./stripped:shown -- ./whole | cut -d, -f2,3
assay stopwatch -q ./whole:shown -- ./no-such-command
echo "exit $?"
try tracepoint:sched_switch
try tracepoint:sched:sched_switch
try --from tracepoint:sched:no_such_event --to syscall:read | sed 's/(.*)/(...)/'
waking="--from tracepoint:sched:sched_wakeup --to tracepoint:sched:sched_switch"
try $waking --key pid=next | sed 's/it has .*/.../'
try $waking --key comm=next_comm | sed 's/it has .*/.../'
try --from syscall:read --to syscall:read%return --key arg0
try --from syscall:read --to syscall:write --key arg6
try --from syscall:read --to syscall:write --key arg0,,tid
try --from syscall:read --to syscall:write --key tid,tid,tid,tid,tid
try --from syscall:read syscall:read --to syscall:write
try syscall:read%return
try --from syscall:read
try --key tid syscall:read
try --preset nothing
assay stopwatch --preset 2>&1 | tail -n 1
