# Data addresses, sources and latencies of a perf.data file are imported. No event of this machine
# need have them, so they are written into samples of page faults.
command -v perf >/dev/null || { echo 'perf is not installed'; exit 77; }
perf record -q -B -N -d -W -e page-faults:u -c 1 -o plain.data -- ls / >/dev/null 2>why || { tail -n 1 why; exit 77; }
cat >patch.py <<'END'
# Gives each sample the address 0x7000000 + 8 * its number, and one of four sources and latencies.
import struct
LOAD, STORE, HIT, MISS, L1, L3, HITM, TLB_MISS = 2, 4, 2 << 5, 4 << 5, 8 << 5, 0x40 << 5, 0x10 << 19, 4 << 26
VALUES = [(LOAD | HIT | L1, 7), (LOAD | HIT | L3 | HITM, 250), (STORE | MISS | L1, 0), (LOAD | HIT | L1 | TLB_MISS, 8)]
data = bytearray(open("plain.data", "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
end, number = at + size, 0
while at < end:
    kind, misc, size = struct.unpack_from("<IHH", data, at)
    if kind == 9:   # PERF_RECORD_SAMPLE: ip, pid and tid, time, address, ...; weight, source
        source, latency = VALUES[number % 4]
        struct.pack_into("<Q", data, at + 8 + 24, 0x7000000 + 8 * number)
        struct.pack_into("<QQ", data, at + size - 16, 5 << 32 | latency, source)
        number += 1
    at += size
open("patched.data", "wb").write(data)
print(number, file=open("number", "w"))
END
python3 patch.py
perf evlist -v -i patched.data | grep -o 'sample_type: [A-Z_|]*'
assay import -q -o memory.assay patched.data
number=$(cat number)
rows() { assay report --csv --by "$1" memory.assay | python3 -c "
import csv, sys
for row in sorted(csv.DictReader(sys.stdin), key=lambda row: row[sys.argv[1]]):
    wanted = [len(range(first, $number, 4)) for first in range(4)]
    samples = int(row['samples'])
    print(row[sys.argv[1]], 'a quarter' if samples in wanted else samples)" "$1"; }
rows data-source
rows latency
lines=$(assay report --csv --by cache-line memory.assay | tail -n +2 | wc -l)
echo "cache lines: $((lines - (number + 7) / 8)) too many"
