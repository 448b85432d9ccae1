# A function without code of its own: into which functions it was inlined.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >lines.cc <<'EOF'
#include <cstdlib>
namespace app {
static volatile int sink;
static inline __attribute__((always_inline)) int twice(int a) { return a * 2 + sink; }
static inline __attribute__((always_inline)) int once(int a) { return a + sink; }
struct Queue {
	inline __attribute__((always_inline)) void put(int a) { sink += twice(a); }
};
}
__attribute__((noinline)) void one(app::Queue &q) { q.put(1); }
__attribute__((noinline)) void two(app::Queue &q) { q.put(2); q.put(3); }
__attribute__((noinline)) void three(app::Queue &q) { q.put(4); app::sink = app::once(1); }
__attribute__((noinline)) void four(app::Queue &q) { q.put(5); }
int main()
{
	app::Queue q;
	one(q);
	two(q);
	three(q);
	four(q);
	return 0;
}
EOF
try() {
	c++ -O1 -g "$@" -o lines lines.cc || { echo "no compiler"; exit 77; }
	for name in once app::Queue::put 'app::*::put' app::Queue::get; do
		assay stopwatch "./lines:$name" -- ./lines 2>&1 |
			sed 's/: into .*, .* and 1 more function$/: into three and one more/'
	done
}
try
echo "# in split files"
try -gsplit-dwarf
echo "# in version 4"
try -gdwarf-4
echo "# without debug information"
try -g0
