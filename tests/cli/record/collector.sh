# Which collector: said with the clock, kept as a fact; what only the ring can do is refused.
[ "$(id -u)" -eq 0 ] || { echo "only root samples inside the kernel"; exit 77; }
try() { assay record -o file "$@" 2>&1 | tail -n1; ls; }
try --collector bpf --call-graph fp -- true
try --collector bpf --call-graph dwarf -- true
try --collector bpf --counters page-faults -- true
told() { assay record -o file "$@" -- true 2>&1 | sed -n '1s/^assay: .*; watching/watching/p'; }
kept() { assay sql file "SELECT value FROM meta WHERE key IN ('collector', 'callgraph') ORDER BY key"; }
told --collector bpf --table-memory 1; kept
told --collector ring; kept
told --collector ring --call-graph dwarf; kept
