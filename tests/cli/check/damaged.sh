# The samples of a damaged recording are not all there: --min-samples fails, and says why.
printf 'main;run 400\nmain;rest 10\n' >a.folded
assay import -q -o a.assay a.folded
assay check --min-samples 10 a.assay
# A second block, which cannot be read: the first is still enough for the limit.
sqlite3 a.assay "INSERT INTO block (kind, first, count, time_min_ns, time_max_ns, checksum, data)
	SELECT kind, first, count, time_min_ns, time_max_ns, 1, data FROM block WHERE kind = 'sample'"
assay check --min-samples 10 a.assay 2>/dev/null; echo "exit $?"
assay check --min-samples 0 --json a.assay 2>/dev/null | grep -e note -e '"value"' -e '"ok"'
