# The first screen fits: at most 45 lines of 80 columns, whatever was recorded.
command -v script >/dev/null || { echo "no script(1) here"; exit 77; }
assay record -q -e cpu-clock -F 999 --off-cpu -o waits.assay -- sh -c \
	'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; sleep 0.1; ls -lR /usr/lib >/dev/null'
script -qc "stty cols 80; PAGER=cat assay report waits.assay" /dev/null </dev/null | tr -d '\r' >colored
sed 's/\x1b\[[0-9;]*m//g' colored >screen
# Names have the color of their image, and the kernel's is always the same.
grep -c "$(printf '\033\\[94m\\[kernel\\]\033\\[0m')" colored | sed 's/[1-9][0-9]*/colored/'
script -qc "PAGER=cat NO_COLOR=1 assay report waits.assay; PAGER=cat assay report --color=never waits.assay" \
	/dev/null </dev/null | grep -c "$(printf '\033')"
assay report waits.assay | grep -c "$(printf '\033')"
awk 'length($0) > 80' screen | wc -l
[ "$(wc -l <screen)" -le 45 ] && echo "at most 45 lines"
# It says what ran, how far to trust it, who used the CPUs, where, and what to run next.
grep -c -e '^sh -c .*' -e '^Trust: ' -e 'application$' -e 'function$' -e 'was blocked in$' -e '^More: ' screen
# A section by name is that of the first screen, or with --full that of the full report.
assay report --section applications waits.assay | grep -c 'procs'
assay report --section applications --full waits.assay | grep -c '^Applications$'
assay report --section nothing 2>&1 | head -n 1
# The same data is in the JSON.
assay report --json waits.assay | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(sorted({"trust", "advice", "functions", "waits", "applications"} & set(report)))
print(all(row["samples"] <= row["total"]["samples"] for row in report["functions"]))'
