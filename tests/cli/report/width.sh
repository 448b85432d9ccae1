# Fits the terminal, with a pager as well.
. "$CASES/busy"
command -v script >/dev/null || { echo "no script(1) here"; exit 77; }
for pager in cat "sed n"; do
	script -qc "stty cols 80; export NO_COLOR=1; PAGER='$pager' assay report; PAGER='$pager' assay report --by image" \
		/dev/null </dev/null | tr -d '\r' | awk 'length($0) > 80'
done | wc -l
