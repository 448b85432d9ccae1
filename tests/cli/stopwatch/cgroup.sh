# Spans that are told apart by control group, where they begin or where the call ends.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group="$root/assay-test-$$"
mkdir "$group" 2>/dev/null || { echo "cgroup v2 is not writable here"; exit 77; }
trap 'rmdir "$group"' EXIT
cat >moves.c <<'END'
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline, noclone)) long work(long i) { return syscall(SYS_getsid, 0) + i; }
int main(int argc, char **argv)
{
	long sum = 0;
	int fd = open(argv[1], O_WRONLY);
	for (int i = 0; i < 3; i++) sum += work(i);
	if (write(fd, "0", 1) != 1) return 1;
	for (int i = 0; i < 5; i++) sum += work(i);
	return sum < 0;
}
END
cc -O1 -o moves moves.c || { echo "no compiler"; exit 77; }
# Where the name is not known, its number is that of the directory.
spans() {
	assay stopwatch -q "$@" --by cgroup -- ./moves "$group/cgroup.procs" || exit
}
names() { sed "s/\[cgroup $(stat -c %i "$group")\]/GROUP/; s|/assay-test-$$|GROUP|"; }
for point in ./moves:work syscall:getsid; do
	spans --csv -o spans.csv $point
	awk -F, 'NR > 1 { print $2, $3, ($NF ~ /assay|cgroup/ ? $NF : "before") }' spans.csv | names | LC_ALL=C sort
done
spans --csv -o spans.csv --from ./moves:work --to ./moves:work%return
awk -F, 'NR > 1 && $3 { print $3, ($NF ~ /assay|cgroup/ ? $NF : "before") }' spans.csv | names | LC_ALL=C sort
spans --json -o spans.json ./moves:work
grep -o '"group": {[^}]*}' spans.json | names | grep GROUP
