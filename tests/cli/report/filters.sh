# A condition and its opposite share out all samples; one that matches nothing says so.
. "$CASES/busy"
count() {
	assay report --csv --by event "$@" | python3 -c "
import csv, sys
print(sum(int(row['samples']) for row in csv.DictReader(sys.stdin)))"
}
all=$(count)
user=$(count --context user)
rest=$(count --context syscall,exception,softirq,hardirq,nmi,idle,kthread,kernel)
[ $((user + rest)) -eq "$all" ] && echo contexts
[ "$(count --comm sh)" -le "$all" ] && [ "$(count --comm sh)" -gt 0 ] && echo comm
assay report --comm no-such-thread 2>&1
echo "exit $?"
