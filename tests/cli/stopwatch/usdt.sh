# Static probes (USDT): where they are, their arguments, and the semaphore by which they are switched on.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
. "$SOURCE/tests/support/tracefs.sh"
make -s -C "$SOURCE/bench/workloads" OUT="$PWD" "$PWD/usdt" >/dev/null || { echo "no compiler"; exit 77; }
spans() {
	assay stopwatch -q --csv -o spans.csv "$@" || exit
	awk -F, 'NR > 1 { print $2, $3, $NF }' spans.csv | sed 's/ [0-9]*$//' | LC_ALL=C sort
}
./usdt 10
echo "# by item; the program sees that one listens, also without arguments"
spans --from usdt:./usdt:work:start --to usdt:./usdt:work:done --key arg0=arg1 -- ./usdt 1000
spans --from usdt:./usdt:other:start --to usdt:./usdt:done -- ./usdt 10
./usdt 10
echo "# by kind, which is negative"
assay stopwatch -q --csv -o spans.csv --from usdt:./usdt:work:start --to usdt:./usdt:done --key arg0=arg1 --by arg1 -- ./usdt 10
awk -F, 'NR > 1 { print $NF, $3 }' spans.csv | LC_ALL=C sort
echo "# by a number that is in the code"
assay stopwatch -q --csv -o spans.csv --from usdt:./usdt:done --to './usdt:main%return' --by arg0 -- ./usdt 1
awk -F, 'NR > 1 { print $NF, $3 }' spans.csv
echo "# from a probe to a function; by pattern"
spans --from usdt:./usdt:other:start --to './usdt:main%return' -- ./usdt 3
spans --from 'usdt:./usdt:*:start' --to 'usdt:./usdt:done' --key tid -- ./usdt 1
sed -n '2s/^\([^,]*,\)\{12\}\([0-9]*\),.*/\2 begun again/p' spans.csv
echo "# lists and messages"
assay list probes 'usdt:./usdt:*' | awk '{ print $1, $2 }'
assay list probes usdt:./usdt:work:s* -j | grep -o '"name": "[^"]*"'
from() { assay stopwatch --from "$@" -- true 2>&1; }
from usdt:./usdt:work:start --to usdt:./usdt:done --key arg2 | sed 's/are: .*/are: .../'
from usdt:./usdt:work:start --to usdt:./usdt:done --key item
from usdt:./usdt:begin --to usdt:./usdt:done
from usdt:./usdt --to usdt:./usdt:done 2>&1 | head -n 1
cp /bin/true plain && objcopy -R .note.stapsdt plain
from usdt:./plain:begin --to usdt:./usdt:done
assay stopwatch usdt:./usdt:start -- true 2>&1
assay list probes 'usdt:./none:*' 2>&1
true
