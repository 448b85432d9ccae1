# Once it samples, a recorder with the rights of root has only those to observe. The command has all.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
# rights PID: its capabilities by name, and whether it is confined
rights() {
	awk '/^CapEff/ { print $2 }' "/proc/$1/status" | { read -r set; capsh --decode="$set" | sed 's/.*=//'; }
	grep -E '^(NoNewPrivs|Seccomp):' "/proc/$1/status" | tr '\t' ' '
}
command -v capsh >/dev/null || { echo "needs capsh"; exit 77; }

mkdir place
assay record -q -a -e cpu-clock -F 99 -o place/file -- sh -c 'echo $$ >pid; sleep 2; exec true' &
recorder=$!
for try in $(seq 100); do
	[ -s pid ] && break
	sleep 0.1
done
sleep 0.5
echo "--- the recorder"
rights $recorder | tr , '\n' | grep -vE 'cap_(perfmon|bpf|sys_ptrace|dac_read_search|checkpoint_restore|syslog|ipc_lock)$'
echo "--- its children, but for the command and readers"
for child in $(pgrep -P $recorder -U 0); do
	[ "$child" = "$(cat pid)" ] || rights "$child" | tr , ' '
done | sort -u
echo "--- the command"
grep -E '^(NoNewPrivs|Seccomp):' "/proc/$(cat pid)/status" | tr '\t' ' '
[ "$(grep CapEff /proc/self/status)" = "$(grep CapEff "/proc/$(cat pid)/status")" ] && echo "all rights"
wait $recorder
echo "exit $?, left: $(ls place)"

echo "--- the directory of another user, and a program that changes the user"
mkdir closed
cp "$(command -v id)" closed/id
chown 4711 closed/id && chmod 4755 closed/id
chown 65534 closed && chmod 700 closed
assay record -q -a -o closed/file -d 0.3 && ls closed
assay record -q -o own -- setpriv --reuid=65534 --clear-groups "$PWD/closed/id" -u
