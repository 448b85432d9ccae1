# The end of a recording is missing: reports show what is there, and nothing changes the file.
seq 1 4000 | awk '{ print "main;run" $1 % 3 ";leaf" $1 * 7919 % 10007 " 2" }' >a.folded
assay import -q -o whole.assay a.folded
head -c -1 whole.assay >cut.assay
cp cut.assay before.assay
assay report --by event --csv cut.assay 2>&1
assay sql --csv cut.assay "SELECT reason, count FROM loss WHERE reason = 'recording-cut'"
assay check --min-samples 10 cut.assay 2>&1
assay symbolize cut.assay 2>&1 | sed 's/[0-9][0-9][0-9]*/N/g'
cmp cut.assay before.assay && echo unchanged

# Without samples it is refused.
head -c $(($(stat -c %s whole.assay) / 2)) whole.assay >cut.assay
for command in 'report' 'tree' 'check --min-samples 1' 'sql'; do
	assay $command cut.assay 2>&1 </dev/null | sed "s/[0-9]* of [0-9]* bytes/N of N bytes/"
done
