# Callers and callees of what matches; no match, no pattern and a bad one have a status each.
# The short system calls have samples in do_syscall_64 itself, the long ones in what it calls.
assay record -q -e cpu-clock -c 1000000 -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); umask 022; done
	dd if=/dev/zero of=/dev/null bs=1M count=3000 2>/dev/null'
assay peek --csv '/^(do_syscall_64|nothing)$/' | cut -d , -f 1,6 | sort -u
assay peek --json do_syscall_64 | python3 -c "
import json, sys
rows = json.load(sys.stdin)['functions'][0]['rows']
print(round(sum(row['share'] for row in rows if row['role'] == 'caller'), 6),
      round(sum(row['share'] for row in rows if row['role'] in ('self', 'callee')), 6))"
assay peek 're:^do_syscall_64$' | grep -c '^  caller '
assay peek no_such_function 2>&1
assay peek do_syscal_64 2>&1
assay peek '^do_syscall_64' 2>&1
echo "exit $?"
assay peek '/(/' 2>&1 | head -n 1
assay peek 2>&1 | head -n 1
assay peek one two three 2>&1 | head -n 1
assay peek 2>/dev/null
echo "exit $?"
