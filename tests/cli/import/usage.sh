# What cannot be imported leaves no recording, and the one before as it was.
assay import 2>&1 | head -n 1
assay import a b 2>&1 | head -n 1
assay import nothing.data 2>&1; echo $?
echo 'not of this kind' >text
assay import text 2>&1; echo $?
printf '# callgrind format\nevents: Ir\n\nfn=(1) main\n16 400\n' >callgrind.out
assay import callgrind.out 2>&1; echo $?
printf 'sh 12 [000] 1.\n\tffff read (/bin/sh)\nmain;a 1\n' >damaged
assay import damaged 2>&1; echo $?
printf 'PERFILE2' >short
assay import short 2>&1; echo $?
printf 'PERFILE2\150\0\0\0\0\0\0\0%0200d' 0 >senseless
assay import senseless 2>&1; echo $?
assay import -f nonsense text 2>&1 | head -n 1
assay import -f perf.data text 2>&1; echo $?
assay import -q -f folded -o forced.assay text; echo $?
ls
