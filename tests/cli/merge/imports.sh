# Other formats: places without addresses stay apart by name, and perf's files add up.
printf 'main;parse;read 30\nmain;parse;split 50\nmain;run 20\n' >a.folded
printf 'main;run 7\nother;parse;split 5\nmain;parse;read 1\nnew 2\n' >b.folded
for name in a b; do
	assay import -q -o $name.assay $name.folded
done
assay merge -q -o m.assay a.assay b.assay
assay export -f folded m.assay | sed 's/^[^;]*;//' | sort
assay report --by function --csv m.assay | cut -d, -f2,4

command -v perf >/dev/null || { echo 'perf is not installed'; exit 77; }
exec 3>&1
for name in c d; do
	perf record -q -B -N -e cpu-clock:u -F 2999 -g -o $name.data -- \
		sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' 2>why || { tail -n 1 why >&3; exit 77; }
	assay import -q -o $name.assay $name.data
done
functions() {
	for file; do
		assay report --by image,function,event --csv --limit 0 $file | tail -n +2 |
			cut -d, -f1-4,6
	done | awk -F, '{ n = $(NF - 1); w = $NF; sub(/,[^,]*,[^,]*$/, ""); s[$0] += n; t[$0] += w }
		END { for (k in s) printf "%s %d %d\n", k, s[k], t[k] }' | sort
}
assay merge -q -o p.assay c.assay d.assay
functions c.assay d.assay >parts
functions p.assay >whole
[ "$(wc -l <whole)" -gt 1 ] && diff parts whole && echo "perf: the sum"
