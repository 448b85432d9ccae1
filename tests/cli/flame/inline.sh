# Inlined functions are drawn by default. They do not change the size of any other function, and
# drawing does not change the recording.
cat >work.c <<'END'
static volatile unsigned sink;
static inline __attribute__((always_inline)) void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}
static inline __attribute__((always_inline)) void middle(unsigned n) { leaf(n); }
static __attribute__((noipa)) void cold(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink ^= i;
}
static __attribute__((noipa)) void outer(unsigned n)
{
	middle(n);
	cold(n);
	__asm__ volatile("");
}
int main(void)
{
	for (unsigned i = 0; i < 300; i++)
		outer(300000);
	return 0;
}
END
gcc -O2 -g -o work work.c
assay record -q -e cpu-clock -F 999 -- ./work
cp profile.assay before
for options in "" --no-inline "--inline --no-inline"; do
	assay flame --min-percent 0 --context user $options -o "graph$options.svg"
done
cmp profile.assay before && echo "the recording is the same"
cmp graph--no-inline.svg "graph--inline --no-inline.svg" && echo "no wins"
python3 - graph.svg graph--no-inline.svg <<'END'
import sys, xml.etree.ElementTree
SVG = '{http://www.w3.org/2000/svg}'
def totals(path):
    found = {}
    for rect in xml.etree.ElementTree.parse(path).iter(SVG + 'rect'):
        if rect.find(SVG + 'title') is None:
            continue
        name, image, figures = rect.find(SVG + 'title').text.split('\n')[:3]
        key = name, image, 'inlined' in figures
        found[key] = found.get(key, 0) + int(figures.split(' ')[0].replace(',', ''))
    return found
drawn, plain = totals(sys.argv[1]), totals(sys.argv[2])
def inlined(found):
    # The dynamic linker may have debug information, too, and may be sampled.
    return sorted(name for name, image, is_inlined in found if is_inlined and image.endswith('work'))
print('inlined', inlined(drawn), inlined(plain))
print('functions', {'main', 'outer', 'cold'} <= {key[0] for key in plain})
print('sizes', {key: drawn[key] for key in drawn if not key[2]} == plain)
END
