# A user without privileges profiles what is the user's own.
[ "$(id -u)" -eq 0 ] || { echo "needs root to give up its privileges"; exit 77; }
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] ||
	{ echo "kernel.perf_event_paranoid is above 2"; exit 77; }
cp "$ASSAY" ./assay && chmod 755 .. assay && chmod 777 .
plain() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"; }
plain ./assay record -q -e cpu-clock -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
echo "exit $?"
[ "$(plain ./assay sql profile.assay 'SELECT count(*) > 10 FROM sample' | tail -n 1)" -eq 1 ] &&
	echo sampled
# Stacks are whole although the program has no frame pointers.
cat >deep.c <<'EOF'
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) { for (unsigned long i = 0; i < 100000000; i++) sum += i; }
__attribute__((noinline)) void middle(int depth) { if (depth) middle(depth - 1); else leaf(); sum++; }
int main(void) { middle(8); return 0; }
EOF
cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c
plain ./assay record -q -e cpu-clock -F 999 -o deep.assay -- ./deep
plain ./assay peek --csv leaf deep.assay | grep -o 'caller,middle'
plain ./assay check --min-complete 95 deep.assay >/dev/null && echo whole
plain ./assay record -q -a -d 1 2>&1 | grep -q -e perf_event_paranoid -e CAP_PERFMON && echo explained
plain ./assay record --off-cpu -o waits -- true 2>&1; echo "exit $?"
