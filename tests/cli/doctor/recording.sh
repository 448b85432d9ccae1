# status: 1
# Advice about a recording: the program of the recording has no symbols.
cat >spin.c <<'EOF'
static volatile unsigned long sum;
static __attribute__((noinline)) void spin(void) { for (unsigned long i = 0; i < 400000000; i++) sum += i; }
int main(void) { spin(); return 0; }
EOF
cc -O1 -o spin spin.c && strip spin
assay record -q -e cpu-clock -F 999 -- ./spin
assay doctor profile.assay | grep -o '/spin has no symbols'
assay doctor --json profile.assay | python3 -c '
import json, sys
advice = json.load(sys.stdin)["advice"]
print([line["share"] > 0.9 for line in advice if "has no symbols" in line["text"]])'
# The other commands say the same.
for command in "report" "tree" "flame -o graph.svg"; do assay $command 2>&1 | grep -c 'has no symbols'; done
# A program with symbols needs no advice.
cc -O1 -o plain spin.c
assay record -q -e cpu-clock -F 999 -o plain.assay -- ./plain
assay doctor plain.assay | grep -c 'has no symbols'
assay doctor missing.assay 2>&1
