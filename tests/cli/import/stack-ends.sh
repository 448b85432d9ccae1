# Stacks of names do not say where threads begin, so no share of whole stacks is made up.
printf 'main;run 400\nmain;rest 10\n' >a.folded
assay import -q -o a.assay a.folded
assay report --section trust a.assay
assay report --json a.assay | grep whole_stacks
assay check --min-complete 50 a.assay; echo "exit $?"
assay tree a.assay 2>&1 | grep -c 'not whole'
cat >a.txt <<'END2'
run 100/100 1.000000: 10101010 cpu-clock: 
	ffff leaf (/usr/bin/run)
	eeee main (/usr/bin/run)

END2
assay import -q -f perf-script -o text.assay a.txt
assay report --section trust text.assay | grep Trust
