# JSON is one object with a version, CSV has a line of titles.
. "$CASES/busy"
assay report --json | python3 -c "import json, sys; print(json.load(sys.stdin)['version'])"
assay report --json --by image | python3 -c "import json, sys; print(json.load(sys.stdin)['version'])"
assay report --csv --by context,cpu | head -n 1
