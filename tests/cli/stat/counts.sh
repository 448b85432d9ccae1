# Events and groups, a name for each that was asked for, in their order; times of the run behind.
assay stat --csv -e 'page-faults,{task-clock:u,minor-faults}:S' -e cs -- true |
	cut -d , -f 3-5 | tail -n +2
assay stat -e page-faults,task-clock -- true | awk '{ print NF > 2 }' | sort | uniq -c | awk '{ print $2 }'
assay stat -e task-clock -- true | grep -o 'CPUs used'
# The children of the command are counted, too: each program has its faults.
one=$(assay stat --csv -e page-faults -- true | sed -n 's/^,,page-faults,events,1,\([0-9]*\),.*/\1/p')
ten=$(assay stat --csv -e page-faults -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do env true; done' |
	sed -n 's/^,,page-faults,events,1,\([0-9]*\),.*/\1/p')
[ "$ten" -gt $((one * 5)) ] && echo "children counted"
