# Colored by change: the function that is called more often, the one that is called less, the rest.
. "$CASES/../diff/recordings"
assay flame --diff before.assay after.assay >graph.svg
# Sorted, because the graph has the larger function first.
python3 - graph.svg <<'END' | sort
import sys, xml.etree.ElementTree
svg = '{http://www.w3.org/2000/svg}'
for rect in xml.etree.ElementTree.parse(sys.argv[1]).iter(svg + 'rect'):
    title = rect.find(svg + 'title')
    name = title.text.split('\n')[0] if title is not None else ''
    if name in ('growing', 'steady', 'main'):
        word = [word for word in rect.get('class').split() if word[0] in 'ml'][0]
        print(name, {'m': 'more', 'l': 'less'}[word[0]] if word[1] != '0' else 'noise')
END
assay record -q -e task-clock -o other.assay -- true
assay flame --diff other.assay after.assay 2>&1
echo "exit $?"
