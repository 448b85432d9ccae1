# Arguments of functions of programs by their names, from debug information.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >parameters.c <<'END'
#define NOINLINE __attribute__((noinline, noclone, used))
struct large { long at[4]; };
struct small { int a; float b; };
static volatile long sink;
NOINLINE void put(long queue, int item) { sink += queue + item; }
NOINLINE void take(double speed, int item, struct small with, long after)
{ sink += (long)speed + item + with.a + after; }
NOINLINE struct large make(signed char step, unsigned short size)
{ sink += step; return (struct large){ { size } }; }
NOINLINE void many(int a, int b, int c, int d, int e, int f, int g) { sink += a + b + c + d + e + f + g; }
NOINLINE void seek(int offset) { sink += offset; }
int main(void)
{
	for (int i = 0; i < 100; i++) {
		put(i % 3, i - 50);
		seek((i - 50) * 1000);
		take(1.5, i - 50, (struct small){ i, 2 }, 3);
		sink += make((signed char)(i % 4 - 2), (unsigned short)(65000 + i)).at[0];
		many(1, 2, 3, 4, 5, 6, 7);
	}
	return 0;
}
END
run() { assay stopwatch -q --csv "$@" -- ./parameters | cut -d, -f2,3,4,7,12,17-; }
for way in "-O0 -g" "-O2 -g"; do
	cc $way -o parameters parameters.c || { echo "no compiler"; exit 77; }
	echo "# $way: values, of which half are negative; the result's address comes before the arguments"
	run --value queue ./parameters:put
	run --value item ./parameters:put ./parameters:take
	run --value size ./parameters:make
	echo "# $way: groups"
	run --by step ./parameters:make | cut -d, -f1,2,6- | LC_ALL=C sort
	run --by step --value size ./parameters:make | LC_ALL=C sort
done
echo "# the same argument, in different registers"
run --from ./parameters:put --to ./parameters:take --key item | cut -d, -f1,2,6-
echo "# a sign that the register does not show"
run --value offset ./parameters:seek
echo "# what cannot be read"
for value in speed with after g no_such tid arg6; do
	point=take
	[ $value != g ] || point=many
	assay stopwatch --value $value ./parameters:$point 2>&1
done
assay stopwatch --value item './parameters:*t*' 2>&1
cc -O2 -o bare parameters.c
assay stopwatch --value item ./bare:put 2>&1
echo "# the debug file beside the program has the names, also of static functions"
sed 's/^NOINLINE/static &/' parameters.c >static.c
cc -O2 -g -o parameters static.c && objcopy --only-keep-debug parameters parameters.debug &&
	strip --strip-all parameters && objcopy --add-gnu-debuglink=parameters.debug parameters
run --value queue ./parameters:put
mkdir .debug && mv parameters.debug .debug
run --value queue ./parameters:put
rm .debug/parameters.debug
assay stopwatch --value queue ./parameters:put 2>&1 || true
echo "# two values"
cc -O2 -g -o parameters parameters.c
assay stopwatch -q --csv --by queue,item ./parameters:put -- ./parameters | awk -F, '
NR == 1 { print $(NF - 1), $NF }
NR > 1 { rows++; wrong += $3 != 1 || ($NF + 50) % 3 != $(NF - 1); }
END { print rows, wrong }'
assay stopwatch -q --json --by queue,item ./parameters:put -- ./parameters |
	jq -c '[.spans[].group | select(.item == "-49")]'
assay stopwatch -q --limit 1 --by queue,item ./parameters:put -- ./parameters |
	sed -n '1s/.*max  *//p; 5s/, queue [0-2], item .*/ and the values/p'
assay stopwatch --by queue,cpu ./parameters:put 2>&1 | head -n 1
assay stopwatch --by queue,item,queue ./parameters:put 2>&1 | head -n 1
