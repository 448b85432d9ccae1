# A recording that was cut short and a damaged one are merged as far as they go; losses say so.
for name in a b c; do
	printf 'main;run 7\nmain;rest 3\n' >$name.folded
	assay import -q -o $name.assay $name.folded
done
sqlite3 b.assay "DELETE FROM meta WHERE key = 'store.complete'; DELETE FROM sealed"
sqlite3 c.assay "UPDATE block SET checksum = 1 WHERE kind = 'sample'"
assay merge -q -o m.assay a.assay b.assay c.assay 2>&1
assay report --by function --csv m.assay | cut -d, -f2,4
assay report --full m.assay | grep -e ' recording ' -e ' merged-cut ' -e ' block-damaged '

# Merged again, it counts only once.
assay merge -q -o again.assay m.assay
assay sql --csv again.assay "SELECT reason, count FROM loss"
