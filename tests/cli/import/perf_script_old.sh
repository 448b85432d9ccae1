# A text without times and CPUs, as tutorials show it, and such a text that was cut.
cat >out.txt <<'END'
my app 7 cycles: 
	ffffffff81000010 read ([kernel.kallsyms])
	            55d5 main (/bin/app)
	ffffffffffffffff [unknown] ([unknown])

my app 7/9 cycles: 
	            55d5 main (/bin/app)

END
assay import -o one.assay out.txt 2>&1 | sed 's/, [0-9.]* KiB/, N KiB/'
assay tree --csv one.assay | cut -d, -f1-5
assay report --full one.assay | grep duration
head -c 120 out.txt >cut.txt
assay import -o cut.assay cut.txt 2>&1 | tail -n 2
assay report --full cut.assay | grep file-cut
