# A kernel without some fields: doctor names them and their cost, a recording only what it uses.
[ "$(id -u)" -eq 0 ] || { echo "needs root to show other types of the kernel"; exit 77; }
[ -r /sys/kernel/btf/vmlinux ] || { echo "this kernel has no types"; exit 77; }
assay record -q --off-cpu -o file -- true 2>message || { cat message; exit 77; }
python3 -c "
types = open('/sys/kernel/btf/vmlinux', 'rb').read()
for name in b'in_iowait', b'_softexpires':
    types = types.replace(b'\0' + name + b'\0', b'\0' + b'x' * len(name) + b'\0')
open('types', 'wb').write(types)"
lacking() { unshare -m sh -c 'mount --bind types /sys/kernel/btf/vmlinux && exec "$@"' sh "$@"; }
lacking true || { echo "cannot mount here"; exit 77; }
lacking assay doctor | grep -A 1 'kernel fields'
lacking assay doctor --json | python3 -c "
import json, sys
for check in json.load(sys.stdin)['checks']:
    if check['what'] == 'kernel fields':
        print(check['verdict'], check['state'], check['cost'], sep='; ')"
for event in cpu-clock context-switches; do
	for waits in '' --off-cpu; do
		echo "$event $waits"
		lacking assay record -e $event --collector bpf $waits -o file -- true 2>message ||
			{ cat message; exit 1; }
		grep 'this kernel' message
	done
done
true
