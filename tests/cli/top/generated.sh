# Generated code has its names while it runs: those that were there in the window, and no others.
case $(uname -m) in x86_64 | aarch64) ;; *) echo "no code for $(uname -m)"; exit 77 ;; esac
gcc -D_GNU_SOURCE -O1 -o jitcode "$SOURCE/tests/accuracy/programs/jitcode.c"
./jitcode dump 6000 300 move >truth &
assay top --json --frames 9 --refresh 0.5 --window 1 --limit 0 --by function -e cpu-clock \
	-F 997 >frames
echo "exit $?"
wait
python3 - <<'END'
import json, re
claims = [line.split() for line in open("truth") if line.startswith("code ")]
claims = [(int(ns), int(start, 16), name) for _, ns, start, size, name in claims]
named = unnamed = 0
wrong = set()
for frame in map(json.loads, open("frames")):
    end, begin = frame["time_ns"], frame["time_ns"] - frame["span_seconds"] * 1e9 - 1e8
    there = {name for ns, start, name in claims if ns <= end and
             not any(start == other and ns < later < begin for later, other, _ in claims)}
    for row in frame["rows"]:
        if re.fullmatch("(loop|caller)_[a-g]", row["function"]):
            named += row["samples"]
            wrong |= {row["function"]} - there
        if row["function"] == "[anon]":
            unnamed += row["samples"]
print("named", named > 500, "unnamed", unnamed > named / 50)
print("not there", sorted(wrong))
END
