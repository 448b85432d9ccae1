# Every figure of a merged recording is the sum of its parts, down to the nanosecond.
cat >work.c <<'END'
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void first(unsigned long n)
{
	while (n--)
		sink += n * n;
}
__attribute__((noinline)) static void second(unsigned long n)
{
	while (n--)
		sink ^= n + 1;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++) {
		first(strtoul(argv[1], 0, 10));
		second(strtoul(argv[2], 0, 10));
		usleep(3000);
	}
	return 0;
}
END
gcc -O1 -o work work.c
assay record -q -e cpu-clock -F 2999 -o a.assay -- ./work 3000000 1000000
assay record -q -e cpu-clock -F 2999 -o b.assay -- ./work 500000 2000000
assay record -q -e cpu-clock -F 2999 -o c.assay -- ./work 1000000 1000000
assay merge -o m.assay a.assay b.assay c.assay 2>&1 |
	sed 's/^assay: [0-9]* samples/N samples/; s/[0-9.]* KiB/N KiB/'

# Adds the last two columns of CSV by all others.
add() { awk -F, '{ n = $(NF - 1); w = $NF; sub(/,[^,]*,[^,]*$/, ""); s[$0] += n; t[$0] += w }
	END { for (k in s) printf "%s %d %d\n", k, s[k], t[k] }' | sort; }
totals() {
	for file; do
		assay sql --csv $file "SELECT e.name, c.name, a.name, f.name, sum(samples), sum(weight)
			FROM hit h JOIN event e ON e.id = h.event JOIN context c ON c.id = h.context
			JOIN application a ON a.id = h.application
			LEFT JOIN hot_function f ON f.id = h.function GROUP BY 1, 2, 3, 4" |
			tail -n +2
	done | add
}
totals a.assay b.assay c.assay >parts
totals m.assay >whole
[ "$(wc -l <whole)" -gt 1 ] && cmp parts whole && echo "hits: the sum"

# What assay report prints, from the samples themselves.
functions() {
	for file; do
		assay report --by image,function,event,context --csv --limit 0 $file | tail -n +2 |
			cut -d, -f1-5,7
	done | add
}
functions a.assay b.assay c.assay >parts
functions m.assay >whole
[ "$(wc -l <whole)" -gt 1 ] && cmp parts whole && echo "functions: the sum"

duration="SELECT (SELECT value FROM meta WHERE key = 'end_ns') -
	(SELECT value FROM meta WHERE key = 'start_ns')"
sum() { for file; do assay sql --csv $file "$query" | tail -n 1; done | awk '{ s += $1 } END { printf "%.0f\n", s }'; }
for query in "$duration" "SELECT sum(count) FROM loss" "SELECT sum(count) FROM image_health" \
	"SELECT sum(end_ns - start_ns) FROM ledger" \
	"SELECT sum(user_last_ns - user_first_ns + idle_last_ns - idle_first_ns) FROM ledger" \
	"SELECT sum(instance_count) FROM application" "SELECT count(*) FROM process" \
	"SELECT count(*) FROM thread"; do
	[ "$(sum a.assay b.assay c.assay)" = "$(sum m.assay)" ] || echo "not the sum: $query"
done

# One recording alone stays what it is.
assay merge -q -o one.assay a.assay
assay report --full a.assay >alone
assay report --full one.assay | grep -v '^  merged runs ' >merged
diff alone merged && echo "one: equal"
assay trace a.assay >alone
assay trace one.assay | cmp - alone

# The order of the steps does not matter.
assay merge -q -o ab.assay a.assay b.assay
assay merge -q -o bc.assay b.assay c.assay
assay merge -q -o ab-c.assay ab.assay c.assay
assay merge -q -o a-bc.assay a.assay bc.assay
for file in ab-c a-bc; do
	for view in "report --full" "report --json" tree trace; do
		assay $view m.assay >whole 2>&1
		assay $view $file.assay 2>&1 | sed "s/$file/m/g" >steps
		diff whole steps || echo "$file: $view differs"
	done
done
assay report --full m.assay | grep -e ' merged runs ' -e ' command '
