# Several -e add up, as in one list.
assay record -q -e cpu-clock -e task-clock,page-faults -e context-switches -o a.assay -- sh -c ':'
sqlite3 a.assay 'SELECT name FROM event ORDER BY id' | sed 's/:.*//'
assay record -q -e cpu-clock -o a.assay -- sh -c ':'
sqlite3 a.assay 'SELECT name FROM event ORDER BY id' | sed 's/:.*//'
