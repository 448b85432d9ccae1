# Folded stacks: every table of samples works on them, what they lack is listed.
cat >out.folded <<'END'
main;parse;read_[k] 30
main;parse;split 50
main;run 20
not one of them
END
assay import -o f.assay out.folded 2>&1 | sed 's/, [0-9.]* KiB/, N KiB/'
assay tree --limit 0 --csv f.assay | cut -d, -f1-4
assay report --by function,context --csv f.assay | cut -d, -f2-6
assay report --full f.assay | grep -e line-malformed
assay flame -o f.svg f.assay && grep -c '>split' f.svg
# A count is a weight of any size: pprof shows the shares that the file has.
printf 'main;large 5000000\nmain;small 1000000\n' >large.folded
assay import -q -o large.assay large.folded
assay export -f pprof -o large.pb.gz large.assay
go tool pprof -top large.pb.gz 2>/dev/null | awk '/large$|small$/ { print $1, $2, $NF }'
