# Runs become mean, deviation and interval, also of a ratio; what all runs counted is kept.
assay stat -r 5 --json -e page-faults,task-clock -- true | python3 -c "
import json, math, statistics, sys
out = json.load(sys.stdin)
result, = out['results']
faults, clock, elapsed, user, system = result['counters']
print(out['version'], out['command'], out['target'], result['runs'], out['user_only'] in (True, False))
print([counter['event'] for counter in result['counters']])
for counter in result['counters']:
    values = counter['values']
    mean, deviation = statistics.mean(values), statistics.stdev(values)
    half = 2.7764451 * deviation / math.sqrt(5)
    print(len(values), math.isclose(counter['mean'], mean, rel_tol=1e-6),
          math.isclose(counter['deviation'], deviation, rel_tol=1e-6, abs_tol=1e-6),
          math.isclose(counter['high'] - counter['mean'], half, rel_tol=1e-4, abs_tol=1e-2))
ratio = clock['ratio']
print(ratio['name'], ratio['by'], ratio['low'] < ratio['mean'] < ratio['high'])
used = [c / e for c, e in zip(clock['values'], elapsed['values'])]
print(math.isclose(ratio['mean'], statistics.mean(used), rel_tol=1e-6))"
assay stat -r 3 -e page-faults -- true | head -n 1 | tr -s ' '
