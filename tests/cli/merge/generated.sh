# Generated code of two processes stays apart, even at equal addresses, and keeps its names.
command -v node >/dev/null || { echo 'node is not installed'; exit 77; }
cat >hot.js <<'END'
function spin(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
const end = Date.now() + 700;
while (Date.now() < end) spin(1e5);
END
sed 's/spin/turn/g' hot.js >other.js
assay record -q -F 499 -e cpu-clock -o a.assay -- node --perf-basic-prof --interpreted-frames-native-stack hot.js
assay record -q -F 499 -e cpu-clock -o b.assay -- node --perf-basic-prof --interpreted-frames-native-stack other.js
assay record -q -F 499 -e cpu-clock -o c.assay -- node --perf-basic-prof --interpreted-frames-native-stack hot.js
assay merge -q -o m.assay a.assay b.assay c.assay
count() {
	for file; do
		assay sql --csv $file "SELECT f.name, count(*) FROM sample s JOIN stack k ON k.id = s.stack
			JOIN location l ON l.id = k.location JOIN function f ON f.id = l.function
			WHERE f.quality = 'jit' AND (f.name LIKE '%spin%' OR f.name LIKE '%turn%')
			GROUP BY 1" | tail -n +2
	done | awk -F, '{ n = $NF; sub(/,[^,]*$/, ""); s[$0] += n } END { for (k in s) print k, s[k] }' | sort
}
count a.assay b.assay c.assay >parts
count m.assay >whole
[ -s whole ] && diff parts whole && echo "names: the sum"
images="SELECT count(*) FROM image WHERE kind = 'jit'"
for file in a b c m; do
	assay sql --csv $file.assay "$images" | tail -n 1
done | awk '{ if (NR < 4) s += $1; else print "images: " (s > 0 && s == $1 + 0 ? "apart" : s " " $1) }'
