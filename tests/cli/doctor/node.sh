# The advice for node is right: after it is followed, names appear and it is not given again.
command -v node >/dev/null || { echo "node is not installed"; exit 77; }
cat >t.js <<'EOF'
function inner(n) { let sum = 0; for (let i = 0; i < n; i++) sum += (i * i) % 7; return sum; }
let total = 0;
for (let i = 0; i < 100; i++) total += inner(1000000);
EOF
advised() { assay doctor --json profile.assay | python3 -c '
import json, sys
for line in json.load(sys.stdin)["advice"]:
    if line["command"].startswith("run node with "): print(line["command"].removeprefix("run node with "))'; }
assay record -q -e cpu-clock -F 999 -- node t.js
unnamed=$(assay sql profile.assay "SELECT coalesce(sum(samples), 0) FROM flat WHERE image = '//anon' AND quality = 'none'" | tail -n 1)
if [ "$unnamed" -lt 100 ]; then
	echo "no generated code without a name: $(assay report --csv --by image,function | head -n 4 | tr '\n' ';')"
	exit 77
fi
advised
# node may put inner into its caller, so that there is no such function.
assay record -q -e cpu-clock -F 999 -- node $(advised) --max-inlined-bytecode-size=0 t.js
advised
assay report --csv --by function | grep -o -m 1 'inner'
