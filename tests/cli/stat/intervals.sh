# What intervals counted is what the whole run counted, and comes in the order of time.
sleeps='for i in 1 2 3 4 5 6; do sleep 0.1; done'
whole=$(assay stat --csv -e page-faults -- sh -c "$sleeps" |
	sed -n 's/^,,page-faults,events,1,\([0-9]*\),.*/\1/p')
assay stat -I 100 --json -e page-faults -- sh -c "$sleeps" | python3 -c "
import json, sys
results = json.load(sys.stdin)['results']
times = [result['time'] for result in results]
print(len(results) >= 4, times == sorted(times))
counts = [result['counters'][0]['values'] for result in results]
print(all(len(values) == 1 for values in counts), abs(sum(values[0] for values in counts) / $whole - 1) < 0.2)
elapsed = sum(result['counters'][1]['mean'] for result in results) / 1e9
print(abs(elapsed - times[-1]) < 0.001)"
assay stat -I 100 -e page-faults -- sleep 0.25 | awk '{ print $3 }' | sort -u
assay stat -I 100 --csv -e page-faults -d 0.25 -- sleep 0.3 2>/dev/null | head -n 1
