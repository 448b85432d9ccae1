# Table, CSV and JSON of the same rows; statements from standard input.
assay record -q -e cpu-clock -- true
query='SELECT name FROM context ORDER BY id LIMIT 2'
assay sql "$query"
assay sql -c profile.assay "$query"
assay sql -j "$query"
echo "$query;" | assay sql -c
