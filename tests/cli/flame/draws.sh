# One file of well-formed SVG, to standard output or a file, of the samples that were chosen.
. "$CASES/../report/busy"
samples() {
	python3 -c "
import sys, xml.etree.ElementTree
svg = '{http://www.w3.org/2000/svg}'
rects = xml.etree.ElementTree.parse(sys.argv[1]).iter(svg + 'rect')
title = next(rect.find(svg + 'title').text for rect in rects if rect.find(svg + 'title') is not None)
print(title.split('\n')[2].split(' ')[0].replace(',', ''))" "$1"
}
reported() {
	assay report --csv --by event "$@" | sed 1d | cut -d , -f 2
}
assay flame >all.svg
[ "$(samples all.svg)" = "$(reported)" ] && echo "all samples"
assay flame --context user --icicle --color-by context --min-percent 0 -o user.svg profile.assay
[ "$(samples user.svg)" = "$(reported --context user)" ] && echo "those in user mode"
cmp -s all.svg user.svg || echo "another graph"
assay flame -o - | cmp - all.svg && echo "standard output"
if command -v xmllint >/dev/null; then
	xmllint --noout all.svg user.svg
fi
