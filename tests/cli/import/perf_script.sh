# The text of perf script, and our own export of it, which comes back as it was.
cat >out.txt <<'EOF'
# ========
# hostname : there
# ========
#
make  7/8 [001] 12.000001:    1000000 cpu-clock: 
	ffffffff81000010 read+0x10 ([kernel.kallsyms])
	            55d5 add (inlined)
	            55d5 main+0x5 (/bin/make)
	  no frame and no sample

make  7/7 [000] 12.000501:    1000000 cpu-clock: 
	            55e5 main+0x15 (/bin/make)

EOF
assay import -o one.assay out.txt 2>&1 | sed 's/, [0-9.]* KiB/, N KiB/'
assay report --by function,image,thread --csv one.assay | cut -d, -f2-6
assay tree --inline --csv one.assay | cut -d, -f1-6 | head -n 20
assay report --full one.assay | grep -e 'there' -e 'line-malformed'
assay export -f perf-script --inline -o again.txt one.assay 2>/dev/null
assay import -q -o two.assay again.txt
for by in function image thread cpu context event; do
	assay report --by $by --csv one.assay >one.csv
	assay report --by $by --csv two.assay | cmp - one.csv
done
assay trace --json one.assay >one.json
assay trace --json two.assay | cmp - one.json
# Whatever else it is, it is not this.
echo 'some words' >words.txt
assay import -f perf-script -o words.assay words.txt 2>&1; echo $?
ls *.assay
