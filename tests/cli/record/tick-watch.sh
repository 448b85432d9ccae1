# Where the kernel does not show its timers (here nobody else does), everything but that works.
command -v cc >/dev/null || { echo "needs a compiler"; exit 77; }
assay record -q -e cpu-clock --collector bpf -o file -- true 2>message || { cat message; exit 77; }
watch() { assay sql --csv "$1" "SELECT value FROM meta WHERE key = 'tick_watch'" | tail -n 1; }
watch file
cat >hide.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

/* Programs come into the kernel through this. */
long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD &&
	    strcmp(((union bpf_attr *)a[1])->prog_name, "timer_expires") == 0) {
		errno = ESRCH;
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
EOF
cc -shared -fPIC -o hide.so hide.c -ldl
LD_PRELOAD=$PWD/hide.so assay record -q -e cpu-clock --collector bpf -o hidden -- \
	sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
watch hidden
assay sql --csv hidden "SELECT count(*) > 0, coalesce(sum(outcome = 'due'), 0) FROM tick
	WHERE event = 0" | tail -n 1
assay report --full hidden | tr -s ' \n' ' ' | grep -o 'Ticks that did not.*hrtimer_expire_entry)'
LD_PRELOAD=$PWD/hide.so assay doctor |
	grep -A 1 -e 'in-kernel sampler' -e 'watch on ticks' | grep -v waits | tr -s ' '
