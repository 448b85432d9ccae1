# speedscope's JSON of both kinds, and our own export of it, which comes back as it was.
cat >out.json <<'EOF'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "other@1.2",
 "name": "some run", "profiles": [
 {"type": "sampled", "name": "worker", "unit": "milliseconds", "startValue": 1000, "endValue": 1080,
  "samples": [[0, 1], [0, 1, 2], [0], [0, 3]], "weights": [10, 10, 10, 50]},
 {"type": "evented", "name": "main", "unit": "seconds", "startValue": 1, "endValue": 1.06,
  "events": [{"type": "O", "frame": 0, "at": 1}, {"type": "O", "frame": 1, "at": 1.01},
   {"type": "C", "frame": 0, "at": 1.02}, {"type": "C", "frame": 1, "at": 1.05},
   {"type": "C", "frame": 0, "at": 1.06}]},
 {"type": "sampled", "name": "heap", "unit": "bytes", "startValue": 0, "endValue": 96,
  "samples": [[0, 1], [0]], "weights": [64, 32]}],
 "shared": {"frames": [{"name": "main", "file": "app.py", "line": 3},
  {"name": "parse", "file": "app.py", "line": 12, "col": 4}, {"name": "parse", "file": "lib.py"},
  {"name": "read", "file": "[kernel]"}]}}
EOF
assay import -o one.assay out.json 2>&1 | sed 's/, [0-9.]* KiB/, N KiB/'
assay report --by function,image,thread,context --csv one.assay | cut -d, -f1-5,7-8
assay report --by line --csv one.assay | cut -d, -f1-4
assay report --by function,thread --event bytes --csv one.assay | cut -d, -f1-6
assay tree --csv one.assay | cut -d, -f1-6
assay trace --fields time,comm,event,weight,stack --csv one.assay
assay report --full one.assay | grep -e 'duration' -e 'event' -e 'collector' -e 'record-malformed'
# Our own: the same events, threads, stacks and losses, and so the same file once more.
assay export -f speedscope -o again.json one.assay 2>&1
assay import -q -o two.assay again.json 2>&1
for by in function image thread context event; do
	for event in time bytes; do
		assay report --by $by --event $event --csv one.assay >one.csv
		assay report --by $by --event $event --csv two.assay | cmp - one.csv 2>&1
	done
done
assay export -f speedscope -o third.json two.assay 2>&1
cmp again.json third.json 2>&1
# Cut short: what came before. With no profiles at all: nothing.
head -c 640 out.json | assay import -o cut.assay - 2>&1 | grep -e samples -e damaged | sed 's/, [0-9.]* KiB/, N KiB/'
assay report --by thread --csv cut.assay | cut -d, -f1-5
echo '{"profile": []}' >words.json
assay import -f speedscope -o words.assay words.json 2>&1; echo $?
assay annotate read one.assay 2>&1; echo $?
ls *.assay
