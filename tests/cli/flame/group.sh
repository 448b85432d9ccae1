# One tower for each group. Each tower stands for the samples of its group, and none is lost.
assay record -q -a -e cpu-clock -F 999 -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); umask 022; done'
towers() {
	assay flame "$@" -o graph.svg 2>errors || cat errors
	python3 - "$@" <<'END'
import sys, xml.etree.ElementTree
svg, towers, total = '{http://www.w3.org/2000/svg}', {}, 0
for title in xml.etree.ElementTree.parse('graph.svg').iter(svg + 'title'):
    lines = (title.text or '').split('\n')
    if len(lines) < 3 or lines[1] or lines[0].startswith('<'):
        continue   # a function, or the reason why a stack was cut
    samples = int(lines[2].split()[0].replace(',', ''))
    if lines[0] == 'all':
        total = samples
    else:
        towers[lines[0]] = samples
whole = 0 < total == sum(towers.values())
print(' '.join(sys.argv[1:]), 'complete' if whole else f'{total}, but {towers}' if towers else 'no towers',
      [name for name in ('sh', 'syscall', 'CPU 0') if name in towers])
END
}
towers
for group in application process thread cgroup context cpu none; do
	towers --group $group
done
towers --group application --comm sh
assay flame --group aplication 2>&1 | head -n 1
# The graph of a command has no towers unless they are asked for.
. "$CASES/../report/busy"
towers
towers --group context
