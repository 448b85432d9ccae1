# A profile of pprof comes back as it was; what gzip has packed is unpacked, and said to be cut.
printf 'main;parse;read_[k] 30\nmain;parse;split 50\nmain;run 20\n' >out.folded
assay import -q -o one.assay out.folded
assay export -f pprof -o one.pb.gz one.assay
assay import -o two.assay one.pb.gz 2>&1 | sed 's/, [0-9.]* KiB/, N KiB/'
for by in function image event context; do
	assay report --by $by --csv one.assay >one.csv
	assay report --by $by --csv two.assay | cmp - one.csv
done
assay tree --csv one.assay >one.csv
assay tree --csv two.assay | cmp - one.csv
gzip -dc one.pb.gz | assay import -q -o three.assay - && assay tree --csv three.assay | cmp - one.csv
gzip -c out.folded | assay import -q -o four.assay - && assay tree --csv four.assay | cmp - one.csv
head -c 200 one.pb.gz >cut.pb.gz
assay import -o cut.assay cut.pb.gz 2>&1 | grep -c 'damaged or incomplete'
assay report --full cut.assay | grep -o 'file-cut'
assay import -f pprof -o not.assay out.folded 2>&1; echo $?
ls *.assay
# The difference of two profiles: what is negative is a loss with its number and its sum.
printf 'main;split 20\nmain;run 90\n' >base.folded
assay import -q -o base.assay base.folded && assay export -f pprof -o base.pb.gz base.assay
go tool pprof -proto -output delta.pb.gz -diff_base base.pb.gz one.pb.gz >/dev/null 2>&1
assay import -o delta.assay delta.pb.gz 2>&1 | grep negative
assay report --section losses delta.assay | grep -e value-negative -e sum
assay report --by function --csv delta.assay | cut -d, -f2,4,6
