# The limit and what came of it are facts of the recording, and every nanosecond is weighed. The
# rate varies by 20 %, so a period may be 1.2 times shorter than at the start.
assay record -q -e cpu-clock --max-overhead 0.1 -F 4999 -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
assay sql profile.assay "SELECT key, value FROM meta
	WHERE key IN ('max_overhead_percent', 'rate_asked_hz') ORDER BY key"
assay sql profile.assay "SELECT value GLOB '* Hz from 0.0 s*' AS rates FROM meta WHERE key = 'rates'"
assay sql profile.assay "SELECT count(*) AS other FROM sample
	WHERE 1.21 * weight < (SELECT period FROM event WHERE id = 0)"
assay record -q -e cpu-clock --no-calibration -- true
assay sql profile.assay "SELECT count(*) AS facts FROM meta WHERE key LIKE 'interrupt_cost%'"
