# Values of tracepoints and static probes, where nothing begins and ends.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
make -s -C "$SOURCE/bench/workloads" OUT="$PWD" "$PWD/usdt" >/dev/null || { echo "no compiler"; exit 77; }
write=tracepoint:syscalls:sys_enter_write
values() { assay stopwatch -q --csv -o values.csv "$@"; cut -d, -f2-5,7,12,17- values.csv | LC_ALL=C sort; }
echo "# how much is written at a time, by file"
values --value count --by fd $write -- dd if=/dev/zero of=/dev/null bs=777 count=100 status=none
echo "# a signed field: a write that fails has no amount"
values --value ret tracepoint:syscalls:sys_exit_write -- dd if=/dev/zero of=/dev/full bs=1 count=1 2>/dev/null |
	cut -d, -f7
echo "# arguments of static probes: one span for all of a pattern"
values --value arg0 usdt:./usdt:work:start -- ./usdt 10
values --value arg0 --by arg1 usdt:./usdt:work:done -- ./usdt 10
values --value arg0 'usdt:./usdt:work:*' -- ./usdt 10
echo "# only of the command, while others write"
yes >/dev/null &
yes=$!
assay stopwatch -q --value count $write -- dd if=/dev/zero of=/dev/null bs=777 count=100 status=none |
	sed -n '1,2p; 4,5p' | sed 's/  */ /g'
kill $yes
echo "# messages"
assay stopwatch $write 2>&1
assay stopwatch --value retval $write 2>&1
assay stopwatch --value nothing $write 2>&1
assay stopwatch --value cpu $write 2>&1
assay stopwatch --value count --by caller $write 2>&1
assay stopwatch --value count --by retval-sign $write 2>&1
assay stopwatch --value arg0 usdt:./usdt:begin 2>&1
true
