# --embed-sources keeps what all users may read, or what lies in a directory that was named; then
# neither program nor sources are needed.
umask 022
mkdir open shut
chmod 755 open
chmod 700 shut
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
echo "a secret" >shut/secret
cat >"$place/work.c" <<-'C'
	#include "inner.h"
	volatile unsigned long sink;
	int main(void)
	{
		for (unsigned long i = 0; i < 90000000; i++)
			sink += inner(i);
		return 0;
	}
C
cat >shut/inner.h <<-'C'
	static inline unsigned long inner(unsigned long x)
	{
		return x * x / 3;
	}
C
cc -g -O1 -I"$PWD/shut" -o program "$place/work.c" || { echo "no compiler"; exit 77; }
# Hot functions of libraries may have files, too, which are nowhere here.
kept() { assay sql --csv $1 "SELECT count FROM block WHERE kind = 'source'" | sed 1d | tr -d '\r'; }
left() { assay sql --csv $1 "SELECT count FROM loss WHERE reason = 'source-left-out'" | sed 1d | tr -d '\r'; }
assay record -q -e cpu-clock -o some.assay --embed-sources -- ./program
echo "$(kept some.assay) kept"
assay record -q -e cpu-clock -o link.assay -- ./program
cp some.assay all.assay
assay symbolize --embed-sources --source-dir shut all.assay 2>/dev/null
echo "$(kept all.assay) kept, $(($(left some.assay) - $(left all.assay))) less left out"
mv "$place/work.c" open
ln -s "$PWD/shut/secret" "$place/work.c"
assay symbolize --embed-sources link.assay 2>/dev/null
echo "$(kept link.assay) kept"
assay symbolize --embed-sources all.assay 2>/dev/null
echo "$(kept all.assay) kept"
rm -r program shut "$place/work.c"
for run in some all link; do
	assay annotate --limit 0 main $run.assay >$run
	grep -c "sink += inner" $run | sed 's/[1-9][0-9]*/some/'
	grep -c "x \* x / 3" $run | sed 's/[1-9][0-9]*/some/'
	grep -o "inner.h: not available" $run | sort -u
done
assay annotate --source nothing all.assay 2>&1 | head -n 1
assay annotate --source main all.assay | grep -o "return x .*"
assay record -q --source-dir open -- true; echo "exit $?"
assay symbolize --source-dir open all.assay 2>&1 | head -n 1
