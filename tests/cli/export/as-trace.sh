# Lines of JSON and CSV are those that trace prints with all fields; folded, the same stacks.
. "$CASES/../report/busy"
fields=time,cpu,comm,pid,tid,event,context,late,weight,function,image,quality,stack
assay export -f ndjson --context user 2>/dev/null >ndjson
assay trace --json --context user --fields $fields | cmp - ndjson && echo "same objects"
assay export -f csv --context user -o csv 2>/dev/null
assay trace --csv --context user --fields $fields | cmp - csv && echo "same rows"
assay export -f folded 2>/dev/null | sort >folded
assay export -f ndjson 2>/dev/null | python3 -c "
import collections, json, sys
rows = [json.loads(line) for line in sys.stdin]
paths = collections.Counter(';'.join([row['comm'], *(f['function'] for f in row['stack'])])
                            for row in rows if row['event'] == rows[0]['event'])
print(''.join(sorted(f'{path} {count}\\n' for path, count in paths.items())), end='')" | LC_ALL=C sort >paths
LC_ALL=C sort folded | cmp - paths && echo "same stacks"
