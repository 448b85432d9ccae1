# A function that no symbol names is called by its address, wherever it is shown, and is found by it.
cat >work.c <<'END'
volatile unsigned long sink;
#define F(storage, name) __attribute__((noinline, noclone)) storage void name(unsigned long n) \
	{ for (unsigned long i = 0; i < n; i++) sink += i * __LINE__; }
F(, before)
F(static, hidden)
F(, after)
int main(void)
{
	for (int i = 0; i < 300; i++)
		hidden(1000000);
	before(1);
	after(1);
	return 0;
}
END
gcc -O1 -rdynamic -fno-toplevel-reorder -fasynchronous-unwind-tables -o full work.c
strip --strip-all -o work full
name=fn_$(nm full | awk '$3 == "hidden" { sub(/^0*/, "", $1); print $1 }')
assay record -q -e cpu-clock -F 999 -- ./work
only="--comm work --context user --image work"
check() { sed "s/$name/NAME/g"; }
assay report --by function $only | check | grep -o 'NAME.*'
assay report --csv --by function $only | check | grep NAME | sed 's/.*work,\(NAME\),.*,\([a-z]*,[a-z]*,[a-z]*\)\r/\1 \2/'
assay report --json --by function $only | check | grep -A 3 NAME | grep -v image | sed 's/^ *//'
assay tree $only | check | grep -o 'NAME.*'
assay peek "$name" $only | check | grep -o '^NAME[^:]*'
assay annotate --no-pager $name 2>/dev/null | check | grep -o '^NAME.*'
assay export -f folded $only -o - | check | grep -o ';NAME [0-9]' | tr -d 0-9 | sort -u
assay sql 'SELECT name, quality, before, after FROM function WHERE name LIKE "fn_%" AND after = "after"' | check | tr -s " "
assay sql 'SELECT DISTINCT quality FROM flat WHERE function LIKE "fn\_%" ESCAPE "\"'
assay report --symbol $name --by comm $only | awk 'END { print $NF }'
assay flame $only -o flame.svg 2>/dev/null
check <flame.svg | grep -A 3 '<title>NAME' | sed -n 's/<\/title.*//; 4p'
