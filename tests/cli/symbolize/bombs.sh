# Debug information that wants more than it is worth ends with a named loss, and the report is there.
cat >work.c <<'END'
static volatile unsigned long sink;
int main(void)
{
	for (unsigned long i = 0; i < 150000000; i++)
		sink += i;
	return 0;
}
END
cat >forge.py <<'END'
import struct, subprocess, sys, zlib
START = """
.section .note.GNU-stack,"",@progbits
.section .debug_abbrev,"",@progbits
.byte 1,0x11,1, 0x11,1, 0x12,1, 0,0        # unit: low_pc, high_pc
.byte 2,0x0b,1, 0,0                        # block
.byte 3,0x2e,0, 3,8, 0x11,1, 0x12,1, 0,0   # function: name, low_pc, high_pc
.byte 4,0x2e,0, 0x55,0x17, 0,0             # function: ranges
.byte 0
.section .debug_info,"",@progbits
.long end - begin
begin: .short 4
.long 0
.byte 8,1
.quad main, main + 64
"""
FUNCTION = '.byte 3\n.asciz "known"\n.quad main, main + 64\n'
END = ".byte 0\nend:\n"
KINDS = {
    "sound": FUNCTION,
    # deeper than any source nests its blocks
    "depth": ".rept 600\n.byte 2\n.endr\n" + FUNCTION + ".rept 600\n.byte 0\n.endr\n",
    # a thousand functions with the same quarter of a million ranges each
    "steps": ".rept 1000\n.byte 4\n.long 0\n.endr\n" + FUNCTION,
    "memory": FUNCTION,
}
kind = sys.argv[1]
text = START + KINDS[kind] + END
if kind == "steps":
    text += '.section .debug_ranges,"",@progbits\n.rept 250000\n.quad 0x10, 0x11\n.endr\n.quad 0, 0\n'
open("forged.s", "w").write(text)
subprocess.run(["gcc", "-O1", "-o", "work", "work.c", "forged.s"], check=True)
if kind == "memory":
    # 320 MiB of abbreviations in 320 KiB
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(320)) + packer.flush()
    open("packed", "wb").write(struct.pack("<IIQQ", 1, 0, 320 << 20, 1) + packed)
    subprocess.run(["objcopy", "--update-section", ".debug_abbrev=packed", "work"], check=True)
    image = bytearray(open("work", "rb").read())
    at, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3a)
    strings, = struct.unpack_from("<Q", image, at + names * size + 24)
    for i in range(count):
        name, _, flags = struct.unpack_from("<IIQ", image, at + i * size)
        if image[strings + name:].startswith(b".debug_abbrev\0"):
            struct.pack_into("<Q", image, at + i * size + 8, flags | 0x800)
    open("work", "wb").write(image)
END
for kind in sound depth steps memory; do
	python3 forge.py $kind
	rm -f profile.assay
	assay record -q -e cpu-clock -F 499 -- ./work
	assay report --csv --by line --image work >lines
	loss=$(assay sql --csv profile.assay "SELECT reason, count FROM loss WHERE reason LIKE 'lines-%'" | sed 1d | tr -d '\r')
	why=$(assay sql --csv profile.assay "SELECT value FROM meta WHERE key LIKE 'lines_image_%' AND key IN
		(SELECT 'lines_image_' || id FROM image WHERE path LIKE '%/work')" | sed 1d | tr -d '\r')
	echo "$kind: $(assay report --csv --by function --inline --image work | cut -d , -f 2 | sed -n 2p) [$loss] $why"
done
