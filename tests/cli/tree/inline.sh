# With --inline what the compiler put into a function is a frame of its own, in each view; what
# was not inlined keeps its figures; and addr2line knows the same chains.
cat >work.c <<'END'
static volatile unsigned sink;
static inline __attribute__((always_inline)) void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}
static inline __attribute__((always_inline)) void middle(unsigned n) { leaf(n); }
static __attribute__((noipa)) void cold(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink ^= i;
}
static inline __attribute__((always_inline)) void caller(unsigned n) { cold(n); }
static __attribute__((noipa)) void outer(unsigned n)
{
	middle(n);
	caller(n);
	__asm__ volatile("");
}
static __attribute__((noipa)) unsigned again(unsigned depth);
static inline __attribute__((always_inline)) unsigned step(unsigned depth)
{
	leaf(2000);
	return depth ? again(depth - 1) + 1 : 0;
}
static unsigned again(unsigned depth) { return step(depth) + sink; }
int main(void)
{
	for (unsigned i = 0; i < 300; i++) {
		outer(500000);
		sink += again(100);
	}
	return 0;
}
END
gcc -O2 -g -o work work.c
assay record -q -e cpu-clock -F 999 -- ./work
cp profile.assay other.assay
python3 - <<'END'
import csv, io, json, re, subprocess
ONLY = ["--comm", "work", "--context", "user"]
def ask(command, *words):
    words = words if command == "sql" else [*words, *ONLY]
    return subprocess.run(["assay", command, *words], check=True, capture_output=True, text=True).stdout
def table(*words):
    return list(csv.DictReader(io.StringIO(ask(*words), newline="")))
def rows(*words):
    return json.loads(ask("tree", "--json", *words))["rows"]
INLINED = {"leaf", "middle", "caller", "step"}
plain, tree = rows(), rows("--inline")
print("kept", sum(r["self"]["samples"] for r in plain) == sum(r["self"]["samples"] for r in tree),
      not any("inlined" in r for r in plain))
marks = {(r["function"], r["inlined"]) for r in tree if r["image"].endswith("/work")}
print("marked", {n for n, mark in marks if mark} == INLINED,
      {n for n, mark in marks if not mark} >= {"main", "outer", "cold", "again"})
by_id = {r["id"]: r for r in tree}
parents = {(r["function"], by_id[r["parent"]]["function"]) for r in tree if r["parent"]}
print("nested", {("middle", "outer"), ("leaf", "middle"), ("caller", "outer"), ("cold", "caller"),
                 ("step", "again"), ("leaf", "step"), ("again", "step")} <= parents,
      not {("leaf", "outer"), ("cold", "outer"), ("again", "again")} & parents)
def totals(*words):
    return {(r["function"], r.get("inlined", "false")): int(r["total_samples"])
            for r in table("tree", "--children", "--csv", *words)
            if r["image"].endswith("/work")}
before, after = totals(), totals("--inline")
print("totals", all(after[key] == before[key] for key in before),
      after["step", "true"] == after["again", "false"])
graph = json.loads(ask("callgraph", "--inline", "--json"))["entries"]
print("cycle", [{m["function"] for m in e["callees"]} for e in graph if e["is_cycle"]]
      == [{"again", "step"}], {e["inlined"] for e in graph if e["function"] == "leaf"})
peek = table("peek", "leaf", "--inline", "--csv")
print("peek", sorted((r["role"], r["other"], r["other_inlined"]) for r in peek))
text = ask("tree", "--inline", "--no-pager")
print("text", len(re.findall(r"leaf \(inlined\)", text)) >= 1, "main (inlined)" not in text)
print("peek text", "leaf (inlined): " in ask("peek", "leaf", "--inline", "--no-pager"))
drawn = ask("flame", "--inline")
print("flame", "leaf\nwork\n" in drawn, ", inlined</title>" in drawn, ", inlined" not in ask("flame", "--no-inline"))
by = {r["function"]: int(r["samples"]) for r in table("report", "--csv", "--by", "function", "--inline")}
print("leaves", by["leaf"] == sum(r["self"]["samples"] for r in tree if r["function"] == "leaf"))
some = table("report", "--csv", "--by", "event", "--inline", "--symbol", "middle")
print("filter", int(some[0]["samples"]) == after["middle", "true"])
trace = [json.loads(line)["stack"] for line in
         ask("trace", "--inline", "--json", "--fields", "stack", "--symbol", "middle").splitlines()]
print("trace", {tuple((f["function"], f["inlined"]) for f in stack[-3:]) for stack in trace}
      == {(("outer", False), ("middle", True), ("leaf", True))})
joined = table("trace", "--inline", "--csv", "--fields", "function,stack", "--symbol", "middle")
print("joined", {(r["function"], r["stack"].split(";", 4)[-1]) for r in joined if "outer" in r["stack"]}
      == {("leaf", "outer;middle (inlined);leaf (inlined)")})
beneath = ask("trace", "--inline", "--stack", "--symbol", "middle", "--limit", "1")
print("beneath", [line.split() for line in beneath.splitlines()[2:4]])
diff = json.loads(ask("diff", "--inline", "--by", "stack", "--json",
                      "profile.assay", "other.assay"))
paths = {tuple(f["function"] for f in r["stack"][-3:]) for r in diff["rows"]}
print("diff", ("outer", "middle", "leaf") in paths, ("outer", "caller", "cold") in paths)

# Leaves as they are, callers at their calls: the chains of all locations, by another tool.
chains, places = {}, []
for r in table("sql", "--csv", """SELECT l.id, l.vaddr, f.name FROM location l
        JOIN location_line c ON c.location = l.id JOIN line s ON s.id = c.line
        JOIN function f ON f.id = s.function JOIN image i ON i.id = l.image
        WHERE i.path LIKE '%/work' ORDER BY l.id, c.depth"""):
    chains.setdefault(int(r["vaddr"]), []).append(r["name"])
for vaddr, chain in sorted(chains.items()):
    said = subprocess.run(["addr2line", "-i", "-f", "-e", "work", hex(vaddr)], check=True,
                          capture_output=True, text=True).stdout.splitlines()[::2]
    places.append(said == chain)
print("addr2line", len(places) >= 5, all(places))
END
