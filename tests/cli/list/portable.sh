# Portable names: each with what it is here; where the machine has none, the reason is said.
assay list portable total-cycles | sed 's/  *\(no\|cycles\)  */ EVENT /'
assay list --json portable | python3 -c "
import json, sys
listed = json.load(sys.stdin)
print('portable', listed['version'], sorted(listed['portable'][0]), len(listed['portable']) > 20)"
assay list portable >listed && assay stat --list | cmp - listed && assay stat --list | sed -n '$s/ .*//p'
event=$(assay list portable total-cycles | awk '{ print $2 }')
assay record -q -e total-cycles -- true 2>message && [ "$event" = cycles ] && echo "as listed"
[ "$event" = no ] && grep -q "event 'total-cycles': this machine has no hardware counters" message &&
	echo "as listed"
rm -f profile.assay message listed
