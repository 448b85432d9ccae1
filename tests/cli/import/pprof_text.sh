# pprof's text profiles: values are scaled as go tool pprof does it, comments name the frames.
printf '%s\n' 'heap profile: 101: 6554016 [102: 6555552] @ heap/8192' \
	'100: 6553600 [100: 6553600] @ 0x4b4191 0x461481' >heap.txt
printf '#\t0x4b4190\tmain.keep+0x50\t/src/a.go:5\n' >>heap.txt
echo '1: 416 [2: 1952] @ 0x43f9e8' >>heap.txt
assay import -q -o heap.assay heap.txt
assay report --by function,event --csv heap.assay | cut -d, -f2,3,6 | sort
go tool pprof -raw heap.txt 2>/dev/null | grep -A 5 '^Samples' | sed '/Locations/,$d'
printf '%s\n' 'goroutine profile: total 5000001' '5000000 @ 0x4b4191' '1 @ 0x43f9e8' >many.txt
assay import -o many.assay many.txt 2>&1 | grep -o '^assay: [0-9]* samples'
assay report --by address --csv many.assay | cut -d, -f2-8 | tail -n 2
