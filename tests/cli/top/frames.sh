# Looks as JSON lines: each of the samples of its window, rows summing up to the total.
cat >spinner.c <<'END'
void spin_here(void) { for (volatile long i = 0;; i++); }
int main(void) { spin_here(); }
END
gcc -O0 -o spinner spinner.c
./spinner &
assay top --json --frames 3 --refresh 0.5 --window 1 --limit 0 --by function -e cpu-clock >frames
echo "exit $?"
kill $!
python3 - <<'END'
import json
frames = [json.loads(line) for line in open("frames")]
print(len(frames), all(frame["version"] == 1 for frame in frames))
print("times", all(a["time_ns"] < b["time_ns"] for a, b in zip(frames, frames[1:])))
for frame in frames:
    contexts = frame["contexts"]
    print("sums", sum(row["samples"] for row in frame["rows"]) == frame["samples"],
          sum(contexts.values()) - contexts["idle"] == frame["samples"],
          all(row["low"] <= row["share"] <= row["high"] for row in frame["rows"]))
print("spin_here", any(row["function"] == "spin_here" for row in frames[-1]["rows"]))
print("window", frames[-1]["span_seconds"] >= 1)
END
find . -name '*.assay*'
