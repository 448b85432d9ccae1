# Every list is one JSON object that names its version.
for list in events dimensions contexts losses formats; do
	assay list --json $list | python3 -c "
import json, sys
listed = json.load(sys.stdin)
print('$list', listed['version'], sorted(listed['$list'][0]), len(listed['$list']) > 5)"
done
assay list --json contexts soft
