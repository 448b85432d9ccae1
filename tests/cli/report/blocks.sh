# Samples by basic block: those of objdump's listing, with the sums of the samples by address.
cat >work.c <<'END'
static volatile unsigned long sink;
static __attribute__((noipa)) unsigned long odd(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++) {
		if (i % 3 == 0)
			sum += i * i;
		else if (i & 1)
			sum ^= sum << 3;
		sum += sink;
	}
	return sum;
}
static __attribute__((noipa)) void even(unsigned long n)
{
	while (n--)
		sink += n;
}
int main(void)
{
	for (int i = 0; i < 400; i++) {
		even(300000);
		sink += odd(200000);
	}
	return 0;
}
END
gcc -O1 -o work work.c
assay record -q -e cpu-clock -F 999 -- ./work
python3 - <<'END'
import csv, io, re, subprocess
def table(*words):
    said = subprocess.run(["assay", "report", "--csv", "--comm", "work", "--image", "work", *words],
                          check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(said, newline="")))
listing = {}
for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", "work"], check=True,
                           capture_output=True, text=True).stdout.splitlines():
    if head := re.match(r"([0-9a-f]+) <(\w+)>:$", line):
        listing[head[2]] = rows = []
    elif row := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(\S*)", line):
        rows.append((int(row[1], 16), row[2], row[3]))
blocks = {}     # (function, first, behind)
places = {}     # address -> block
for function in ("odd", "even", "main"):
    rows = listing[function]
    start, addresses = rows[0][0], [row[0] for row in rows]
    leaders = {start}
    for i, (address, mnemonic, operand) in enumerate(rows):
        if re.match("(j|loop)", mnemonic) and re.fullmatch("[0-9a-f]+", operand):
            leaders |= {int(operand, 16)} & set(addresses)
        if re.match("(j|loop|ret|ud2|hlt)", mnemonic):
            leaders |= set(addresses[i + 1:i + 2])
    leaders = sorted(leaders)
    size = next(int(line.split()[4], 16) for line in subprocess.run(
        ["objdump", "-t", "work"], capture_output=True, text=True).stdout.splitlines()
        if line.endswith(" " + function))
    leaders = [leader for leader in leaders if leader < start + size] + [start + size]
    for first, behind in zip(leaders, leaders[1:]):
        for address in range(first, behind):
            places[address] = (f"{function}+0x{first - start:x}..0x{behind - start:x}")
wanted = {}
for row in table("--by", "address"):
    name = places[int(row["address"].split()[0], 16)]
    wanted[name] = wanted.get(name, 0) + int(row["samples"])
have = {row["block"]: int(row["samples"]) for row in table("--by", "block")}
print("blocks", len(have) >= 3, have == wanted or (have, wanted))
functions = {}
for name, samples in have.items():
    functions[name.split("+")[0]] = functions.get(name.split("+")[0], 0) + samples
print("functions", functions == {r["function"]: int(r["samples"]) for r in table("--by", "function")})
print("images", {r["image"].rsplit("/", 1)[-1] for r in table("--by", "block")})
both = table("--by", "function,block,cpu")
print("together", sum(int(r["samples"]) for r in both) == sum(have.values()),
      list(both[0])[:4])
END
assay report --by block --comm work --image work | grep -E -m 1 -o '(odd|even)\+0x[0-9a-f]+\.\.0x[0-9a-f]+$' | sed 's/.*/a block/'
# What the recording kept needs no file; what it did not is said once.
mv work away
assay report --csv --by block --comm work --image work 2>/dev/null | grep -c -E ',(odd|even) \(no code\),'
sqlite3 profile.assay "DELETE FROM block WHERE kind = 'code'"
assay report --by block --comm work --image work 2>&1 | grep -c 'cannot be read'
assay report --csv --by block --comm work --image work 2>/dev/null | grep -c -E ',(odd|even) \(no code\),'
assay diff --by block profile.assay profile.assay 2>&1 | head -n 1
