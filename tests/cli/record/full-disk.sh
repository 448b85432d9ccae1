# A disk that is full for a while. The recording goes on when there is room again.
[ "$INSIDE" ] || INSIDE=1 exec unshare --mount --propagation private sh "$0"
mkdir disk
mount -t tmpfs -o size=2m none disk || { echo "a file system cannot be mounted here"; exit 77; }
cat >work.sh <<'END'
busy() { i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; }
busy
cat /dev/zero >disk/filler 2>/dev/null
busy
echo filled
rm disk/filler
busy
END
assay record -e cpu-clock -F 1999 -M 50 -o disk/run.assay -- sh work.sh 2>&1 | grep -v 'samples,\|cpu-clock\|sampling at'
assay sql disk/run.assay "SELECT count > 100 AS lost FROM loss WHERE reason = 'disk-full'"
# There are samples before and after the gap.
assay sql disk/run.assay "WITH gaps AS (SELECT time_ns, time_ns - lag(time_ns) OVER (ORDER BY time_ns)
	AS gap FROM sample), widest AS (SELECT time_ns, gap FROM gaps ORDER BY gap DESC LIMIT 1)
	SELECT gap > 1e8 AS gap, (SELECT count(*) FROM sample WHERE time_ns < widest.time_ns) > 100
	AS before, (SELECT count(*) FROM sample WHERE time_ns > widest.time_ns) > 100 AS after FROM widest"
assay check --min-samples 1 disk/run.assay | grep -c '^ok'

# What waits for room does not grow without end.
rm disk/run.assay
sh -c 'until [ -e ended ]; do true | true | true; done' &
forks=$!
assay record -a -e cpu-clock -F 1999 --memory 2 -M 50 -o disk/run.assay -- sh -c '
	sleep 0.5; cat /dev/zero >disk/filler; sleep 60' 2>&1 | grep 'stayed full'
: >ended
wait $forks
rm disk/filler
assay check --min-samples 1 disk/run.assay 2>/dev/null | grep -c '^ok *min-samples'
