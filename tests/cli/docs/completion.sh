# Commands, lists of words joined by commas, and the words of other commands.
for line in "assay re" "assay list " "assay list contexts" "assay help do" \
	"assay record --call-graph " "assay record -e task-clock,cpu-cl" "assay report --by ima" "assay annotate --by b" "assay export -f fol" "assay export -f per" "assay import -f perf.d"; do
	echo "$line: $(bash "$CASES/complete" "$line" | tr '\n' ' ')"
done
