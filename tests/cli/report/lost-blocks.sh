# A damaged page that leads to the blocks: the blocks are found without it.
assay record -q -e cpu-clock -F 999 -o whole.assay -- sh -c 'i=0; while [ $i -lt 700000 ]; do i=$((i + 1)); done'
python3 - <<'EOF'
import sqlite3
recording = sqlite3.connect("whole.assay")
page = recording.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'block'").fetchone()[0]
size = recording.execute("PRAGMA page_size").fetchone()[0]
content = bytearray(open("whole.assay", "rb").read())
assert content[(page - 1) * size] == 5      # the blocks are on other pages
content[(page - 1) * size:page * size] = bytes(size)
open("lost.assay", "wb").write(content)
EOF
cp lost.assay before.assay
assay report --by event --csv whole.assay >whole
assay report --by event --csv lost.assay >lost
cmp whole lost && echo 'all samples are there'
assay tree lost.assay 2>&1 >/dev/null
assay sql --csv lost.assay "SELECT reason, count FROM loss WHERE reason = 'row-damaged'"
assay check lost.assay 2>/dev/null || echo "exit $?"
assay symbolize lost.assay
cmp lost.assay before.assay && echo unchanged
