# What is good carries no cost; what is not says what it costs.
assay doctor --json | python3 -c "
import json, sys
report = json.load(sys.stdin)
assert report['version'] == 1 and report['usable'] is True
for check in report['checks']:
    assert check['verdict'] in ('good', 'limited', 'unknown'), check
    assert (check['cost'] is None) == (check['verdict'] == 'good'), check
    assert check['what'] and check['state'], check
print('ok')"
