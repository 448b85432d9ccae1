# The title has the command, host, date, event and samples. Names in it are only text.
. "$CASES/../report/busy"
title() {
	python3 -c "
import sys, xml.etree.ElementTree
print(xml.etree.ElementTree.parse(sys.argv[1]).getroot().find('{http://www.w3.org/2000/svg}title').text)" "$1"
}
set_fact() {
	python3 - "$@" <<'END'
import sqlite3, sys
with sqlite3.connect('profile.assay') as db:
	db.execute("insert or replace into meta (key, value) values (?, ?)", sys.argv[1:])
END
}
set_fact host 'a<b>&"host'
set_fact command '</title><script>x</script>'
set_fact start_realtime_ns 1700000000000000000
assay flame -o graph.svg
title graph.svg | sed 's/[0-9]* samples/N samples/; s/: [^ ]*, N/: EVENT, N/'
grep -c '<script>' graph.svg
set_fact command "begin $(printf '%0200d' 0)"
assay flame -o graph.svg
title graph.svg | sed 's/[0-9]* samples/N samples/; s/: [^ ]*, N/: EVENT, N/; s/00*…0*/0…0/; s/  */ /g'
[ "$(title graph.svg | wc -m)" -le 111 ] && echo "it fits"
assay flame --title 'Mine <&>' -o graph.svg
title graph.svg
