# status: 2
# What cannot be meant is said, and so is what can.
. "$CASES/spin"
for words in "" "--by colour x" "--functions 0 x" "a b c" "--limit few x"; do
	assay annotate $words 2>&1 | head -n 1
done
assay annotate no-such-function; echo "exit $?"
assay annotate --comm nobody '*' 2>&1; echo "exit $?"
assay annotate '/a[/' 2>&1; echo "exit $?"
assay annotate '*' 2>/dev/null; echo "exit $?"
assay annotate "$(printf 're:\033[2J[')" 2>&1
assay annotate '*' 2>&1 | sed -n '1s/[0-9]\+/N/p; 2s/ [0-9.]\+% .*:.*/SHARE IMAGE:FUNCTION/p'
assay annotate '*' >/dev/null 2>&1
