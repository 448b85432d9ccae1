# The advice for java is right: after it is followed, names appear and it is not given again.
command -v javac >/dev/null || { echo "no Java compiler is installed"; exit 77; }
cat >T.java <<'EOF'
public class T {
	static long inner(int n) { long sum = 0; for (int i = 0; i < n; i++) sum += (i * (long) i) % 7; return sum; }
	public static void main(String[] words) {
		long total = 0;
		for (int i = 0; i < 2000; i++) total += inner(1000000 + i);
		System.out.println(total > 0);
	}
}
EOF
javac T.java
advised() { assay doctor --json profile.assay | python3 -c '
import json, re, sys
for line in json.load(sys.stdin)["advice"]:
    print(line["text"], file=sys.stderr)
    if line["command"].startswith("run java with "): print(*re.findall("-XX:[^ ,]*", line["command"]))'; }
assay record -q -e cpu-clock -F 999 -- java T
unnamed=$(assay sql profile.assay "SELECT coalesce(sum(samples), 0) FROM flat WHERE image = '//anon' AND quality = 'none'" | tail -n 1)
if [ "$unnamed" -lt 100 ]; then
	echo "no generated code without a name: $(assay report --csv --by image,function | head -n 4 | tr '\n' ';')"
	exit 77
fi
# If the hint is missing: whose the generated code is.
assay sql profile.assay "SELECT image.kind, path, text AS exe FROM image JOIN process ON process.id = process
	LEFT JOIN string ON string.id = exe WHERE path = '//anon'" >&2
advised
assay record -q -e cpu-clock -F 999 -- java $(advised) T
advised
assay report --csv --by function | grep -o -m 1 'T.inner(int)'
