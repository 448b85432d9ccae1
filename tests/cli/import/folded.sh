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
# A count is a weight of any size: nothing gets lost, and one line is one row.
printf 'main;large 5000000\nmain;small 1000000\n' >large.folded
assay import -o large.assay large.folded 2>&1 | grep -o '^assay: [0-9]* samples'
assay report --by function --csv large.assay | cut -d, -f2,4,6,8-10
assay tree large.assay | grep -o ' 83.*large'
assay sql large.assay "SELECT function, samples, percent FROM flat; SELECT count(*) FROM sample"
assay export -f folded large.assay
assay export -f pprof -o large.pb.gz large.assay
go tool pprof -top large.pb.gz 2>/dev/null | awk '/large$|small$/ { print $1, $2, $NF }'
assay import -q -o again.assay large.pb.gz && assay export -f folded again.assay
# More than a recording holds is a loss with its own name.
printf 'main;most 9223372036854775807\nmain;rest 6\n' >most.folded
assay import -o most.assay most.folded 2>&1 | grep -o 'lost:.*flow'
assay report --full most.assay | grep -e weight-overflow
assay export -f folded most.assay 2>&1
# A file without samples is said to be one, in all formats; the recording is there.
(yes '# comment' | head -n 1000; printf '\nmain;a 0\n') >none.folded
assay import -q -o none.assay none.folded 2>&1; echo $?
assay import -q -f folded -o none.assay none.folded 2>&1; echo $?
echo '{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": []}' >none.json
assay import -q -o none.assay none.json 2>&1; echo $?
ls none.assay
