# SPDX-License-Identifier: GPL-2.0-or-later
#
# The checks that run in a guest. A check is a function. It runs in an empty folder, in its own shell
# with `set -e`. Its output is shown if it fails. `skip REASON` ends a check that cannot run here.
# To add a check, write it and name it in a list at the end. If there are arguments, only the checks
# that they name are run.
#
# $SCENARIO is empty, "lockdown", "no-btf", "rings" or "short"; $ARCH is what `uname -m` says. After a guest
# that did not finish, the next one begins with the test $FROM and leaves out the test $WITHOUT.

ARCH=$(uname -m)
SKIPPED=77
COLLECTORS="bpf ring"
ALLOW_OWN=2	# value of kernel.perf_event_paranoid: users may profile their own user-mode code
ALLOW_NONE=3	# Debian's default: users without privileges may not profile anything

# The output of a test may lack its last line break.
say() { printf '\n%s\n' "$*"; }

skip() {
	echo "$*"
	exit $SKIPPED
}

# Prints the single value that an SQL statement returns.
ask() { assay sql --csv "$1" "$2" | tail -n 1; }

# Runs a command as a user without privileges. All words are joined to one command line.
plain() { su nobody -s /bin/sh -c "$*"; }

# Runs a command. Its output goes to /tmp/output, and meanwhile to the console, which shows that the
# guest has not hung, and where it has.
watched() {
	: >/tmp/output
	tail -n +1 -f /tmp/output &
	watched_by=$!
	"$@" >>/tmp/output 2>&1
	watched_status=$?
	kill $watched_by
	wait $watched_by 2>/dev/null
	return $watched_status
}

# Runs a command, and once more if it fails. In a guest that waits for the host's processors, a test
# can fail because its timing is disturbed. A defect makes the test fail each time.
attempt() {
	watched "$@"
	attempt_status=$?
	case $attempt_status in
	0 | "$SKIPPED") return $attempt_status ;;
	esac
	cat /tmp/output
	say RESULT "$name" repeated "status $attempt_status"
	watched "$@"
}

run_check() { (cd "$check_folder" && rm -rf -- * && set -e && "check_$name"); }

check() {
	check_folder=/tmp/check-$name
	mkdir -p "$check_folder" && chmod 777 "$check_folder"
	attempt run_check
	check_status=$?
	case $check_status in
	0) say RESULT "$name" passed ;;
	"$SKIPPED") say RESULT "$name" skipped "$(tail -n 1 /tmp/output)" ;;
	*) cat /tmp/output; say RESULT "$name" failed "status $check_status" ;;
	esac
	rm -rf "$check_folder"
}

# ---- unit tests: one result for each case of a program ----

cases() { sed -n "s/^\[ *$1 *\] \([a-z_0-9]*\)\$/\1/p" /tmp/output | sort -u; }

unit_test() {
	attempt "/tests/$name"
	unit_status=$?
	if [ $unit_status -eq $SKIPPED ]; then
		say RESULT "$name" skipped "$(tail -n 1 /tmp/output)"
		return
	fi
	for unit_case in $(cases OK); do say RESULT "$name:$unit_case" passed; done
	for unit_case in $(cases SKIPPED); do say RESULT "$name:$unit_case" skipped; done
	[ $unit_status -eq 0 ] && return
	cat /tmp/output
	for unit_case in $(cases FAILED); do say RESULT "$name:$unit_case" failed; done
	[ "$(cases FAILED)" ] || say RESULT "$name" failed "status $unit_status"
}

# ---- assay ----

check_doctor() {
	assay doctor >doctor
	cat doctor
	case $SCENARIO in
	lockdown) grep -q '^limited *lockdown *confidentiality' doctor ;;
	no-btf) grep -q '^limited *BTF *no' doctor ;;
	*) grep -q '^good *BTF *yes' doctor && grep -q '^good *lockdown *off' doctor ;;
	esac
	grep -q '^good *whole machine *yes' doctor
	grep -q '^good *BPF *yes' doctor
	case $SCENARIO in
	no-btf) grep -q '^limited *in-kernel sampler *no: .*/sys/kernel/btf/vmlinux' doctor ;;
	rings) grep -q '^limited *in-kernel sampler *no: .*bpf_loop(), .* Linux 5.17' doctor ;;
	*) grep -q '^good *in-kernel sampler *yes' doctor && grep -q '^good *waits *yes' doctor ;;
	esac
}

# The unit tests of the sampler print why they cannot run.
check_sampler_needs_btf() {
	/tests/sampler-bpf_sampler >said && sampler_status=0 || sampler_status=$?
	cat said
	[ $sampler_status -eq $SKIPPED ]
	grep -q '/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)' said
}

# Refuses what needs the in-kernel sampler, with the reason.
check_sampler_needs_loop() {
	for options in --off-cpu '--collector bpf'; do
		! assay record -q $options -o none.assay -- true 2>message
		cat message
		grep -q 'needs bpf_loop(), which is in Linux 5.17' message
	done
}

check_record_all() {
	# one on each CPU, because idle CPUs have no samples
	/workloads/spinner 10 0 &
	/workloads/spinner 10 1 &
	assay record -e cpu-clock -a -d 2 -q -o all.assay
	assay report --full --no-pager all.assay >report
	head -n 40 report
	grep -q 'spinner' report
	[ "$(ask all.assay 'SELECT count(*) > 10 FROM sample')" -eq 1 ]
	[ "$(ask all.assay 'SELECT count(DISTINCT cpu) FROM sample')" -eq 2 ]
}

# A CPU goes offline and comes back while it is sampled. Its samples before and after are kept, and a
# program that began there before assay noticed is found.
check_cpu_hotplug() {
	/workloads/spinner 30 1 &
	assay record -e cpu-clock -a -d 14 -q -o plug.assay &
	recorder=$!
	sleep 6
	echo 0 >/sys/devices/system/cpu/cpu1/online
	off_ns=$(cut -d . -f 1 /proc/uptime)000000000
	sleep 2
	echo 1 >/sys/devices/system/cpu/cpu1/online
	/workloads/spinner 30 1 &
	wait $recorder
	kill $(jobs -p)
	ask plug.assay "SELECT count(*) || ' samples, ' || sum(time_ns < $off_ns) || ' before, lost: ' ||
		(SELECT group_concat(reason || ' ' || count) FROM loss) FROM sample WHERE cpu = 1"
	[ "$(ask plug.assay "SELECT min(time_ns) < $off_ns AND max(time_ns) > $off_ns + 3000000000
		AND (SELECT count FROM loss WHERE reason = 'cpu-offline') = 1
		AND (SELECT coalesce(sum(count), 0) FROM loss WHERE reason = 'mapping-unknown')
			< count(*) / 4
		FROM sample WHERE cpu = 1")" -eq 1 ]
}

check_kernel_symbols() {
	assay record -e cpu-clock -q -F 999 -o kernel.assay -- dd if=/dev/zero of=/dev/null bs=64k count=2000
	assay report --no-pager --by image,function kernel.assay | head -n 20
	[ "$(ask kernel.assay "SELECT sum(samples) > 5 FROM flat WHERE image = '[kernel]' AND
		(function LIKE '%clear%' OR function LIKE '%memset%')")" -eq 1 ]
}

# annotate shows the kernel's code. For hot functions it is in the recording. For others, such as
# most functions that list files, it comes from /proc/kcore.
check_kernel_code() {
	[ "$ARCH" != aarch64 ] || skip "the image has no LLVM to disassemble aarch64"
	assay record -e cpu-clock -q -F 999 -o code.assay -- sh -c \
		'dd if=/dev/zero of=/dev/null bs=64k count=4000; find /proc /sys >/dev/null 2>&1'
	assay report --no-pager --by image,function code.assay | head -n 20
	assay annotate --no-pager --limit 9 --functions 50 '[kernel]' code.assay >code
	head -n 24 code
	grep -q 'code from the recording' code
	grep -q 'code from /proc/kcore' code
	assay annotate --csv --functions 50 '[kernel]' code.assay >rows
	[ "$(wc -l <rows)" -gt 100 ]
	! grep ',bad,' rows
}

# The stacks of the program's burn_* functions must end in _start, four frames further out.
stacks_are_whole() {
	stacks_whole=$(ask "$1" "SELECT 100 * sum(name = '_start') / count(*) FROM
		(SELECT last.function AS name, min(frames.depth) FROM sample
		JOIN stack_frames frames ON frames.stack = sample.stack AND frames.depth = 0
		JOIN stack_frames last ON last.stack = sample.stack AND last.depth = 4
		WHERE frames.function LIKE 'burn\__' ESCAPE '\' GROUP BY sample.id)")
	echo "$stacks_whole % of the stacks are whole"
	[ "$stacks_whole" -ge 99 ]
}

check_stacks_of_tables() {
	assay record -e cpu-clock -q -F 999 --call-graph dwarf -o stacks.assay -- /workloads/shares-nofp 1000
	stacks_are_whole stacks.assay
}

# The in-kernel sampler walks the stacks, except for the first ones.
check_stacks_in_kernel() {
	assay record -e cpu-clock -q -F 999 --collector bpf -o kernel.assay -- /workloads/shares-nofp 1000
	stacks_are_whole kernel.assay
}

# The in-kernel sampler walks the stack of a waiting task by reading the memory of that task.
check_off_cpu() {
	assay record -q --off-cpu -o waits.assay -- sh -c 'for i in 1 2 3 4 5; do sleep 0.2; done'
	assay report --full --no-pager --wall waits.assay | head -n 24
	[ "$(ask waits.assay "SELECT count(DISTINCT sample.id) >= 2 FROM sample
		JOIN event ON event.id = sample.event AND event.name = 'off-cpu:blocked'
		JOIN stack_frames callee ON callee.stack = sample.stack
		JOIN stack_frames caller ON caller.stack = sample.stack
		WHERE caller.depth > callee.depth AND
		callee.image LIKE '/%' AND caller.image LIKE '/%'")" -eq 1 ]
}

# Only the waits of a cgroup v2 are recorded, and no others.
check_off_cpu_of_cgroup() {
	group_procs=/sys/fs/cgroup/waits/cgroup.procs
	# perf_event is enabled implicitly, but only when the first other controller is enabled.
	echo +pids >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p /sys/fs/cgroup/waits
	sh -c 'while :; do sleep 0.1; done' &
	outside=$!
	sh -c "echo \$\$ >$group_procs; while :; do sleep 0.1; done" &
	inside=$!
	until grep -q "^$inside$" $group_procs; do sleep 0.1; done
	assay record -q --off-cpu -G waits -d 3 -o group.assay
	kill $inside $outside
	ask group.assay "SELECT group_concat(tgid || ' ' || count, '; ') FROM (SELECT tgid,
		count(*) AS count FROM sample JOIN thread ON thread.id = thread
		JOIN process ON process.id = process GROUP BY 1)"
	[ "$(ask group.assay "SELECT sum(tgid = $inside AND event.name = 'off-cpu:blocked') >= 5
		AND sum($outside IN (tgid, parent_tgid)) = 0 FROM sample
		JOIN event ON event.id = event JOIN thread ON thread.id = thread
		JOIN process ON process.id = thread.process")" -eq 1 ]
}

check_tracepoints() {
	for collector in $COLLECTORS; do
		assay record -q --collector $collector -e syscalls:sys_enter_execve \
			-o points.assay -- sh -c 'for i in 1 2 3 4 5; do /bin/sleep 0.01; done'
		ask points.assay 'SELECT count(*) FROM sample'
		[ "$(ask points.assay 'SELECT count(*) BETWEEN 5 AND 6 FROM sample')" -eq 1 ]
	done
}

# A kernel in lockdown mode does not tell the ids of tracepoints.
check_tracepoints_hidden() {
	! assay record -q -e sched:sched_switch -o points.assay -- true 2>message
	cat message
	grep -q 'tracefs\|locked down' message
}

# Checks which collector is the default. $1 is bpf or ring.
collector_is() {
	assay record -e cpu-clock -q -a -d 1 -o best.assay
	[ "$(ask best.assay "SELECT value = '$1' FROM meta WHERE key = 'collector'")" -eq 1 ]
}

check_collector_bpf() {
	collector_is bpf
}

check_collector_ring() {
	collector_is ring
}

# ---- without privileges ----

check_plain_user() {
	echo $ALLOW_OWN >/proc/sys/kernel/perf_event_paranoid
	plain assay record -e cpu-clock -q -o own.assay -- /workloads/shares 500
	[ "$(ask own.assay 'SELECT count(*) > 10 FROM sample')" -eq 1 ]
}

check_plain_user_is_refused() {
	echo $ALLOW_NONE >/proc/sys/kernel/perf_event_paranoid
	! plain assay record -e cpu-clock -q -o own.assay -- /workloads/shares 100 2>message
	cat message
	grep -q perf_event_paranoid message
}

# What a user may record at each value of kernel.perf_event_paranoid, without and with capabilities.
# Messages name the setting. Debian's value 3 also refuses CAP_PERFMON in some kernels.
may_record() {
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
	rm -f own.assay all.assay
	own=refused all=refused
	! /workloads/as_user 65534 "$2" assay record -e cpu-clock -q -o own.assay -- \
		/workloads/shares 200 2>message || own=$(ask own.assay 'SELECT name FROM event' | tr -d '\r')
	[ "$own" != refused ] || cat message
	! /workloads/as_user 65534 "$2" assay record -e cpu-clock -q -a -d 0.5 -o all.assay \
		2>message || all=$(ask all.assay 'SELECT name FROM event' | tr -d '\r')
	[ "$all" != refused ] || cat message
	echo "$1 $3: own $own, all $all"
}

check_paranoid() {
	chmod 777 .
	for level in -1 0 1 2 3; do
		may_record $level 0 'no capability'
	done >output
	may_record 2 4000000000 CAP_PERFMON >>output
	may_record 3 200000 CAP_SYS_ADMIN >>output
	cat output
	[ "$(grep -c perf_event_paranoid output)" -eq 4 ]
	grep ' all ' output >seen
	cat >wanted <<-END
		-1 no capability: own cpu-clock, all cpu-clock
		0 no capability: own cpu-clock, all cpu-clock
		1 no capability: own cpu-clock, all refused
		2 no capability: own cpu-clock, all refused
		3 no capability: own refused, all refused
		2 CAP_PERFMON: own cpu-clock, all cpu-clock
		3 CAP_SYS_ADMIN: own cpu-clock, all cpu-clock
	END
	cmp seen wanted
}

# Somebody sets the clock of the wall while a recording runs. Its times are of another clock.
check_clock_steps() {
	assay record -e cpu-clock -a -d 4 -q -o steps.assay -- /workloads/spinner 4 0 &
	sleep 1
	date -s "@$(($(date +%s) + 3600))"
	sleep 1
	date -s "@$(($(date +%s) - 7200))"
	wait
	ask steps.assay "SELECT (SELECT value FROM meta WHERE key = 'end_ns') -
		(SELECT value FROM meta WHERE key = 'start_ns')"
	[ "$(ask steps.assay "SELECT max(time_ns) - min(time_ns) BETWEEN 2000000000 AND 9000000000
		AND count(*) > 20 FROM sample")" -eq 1 ]
}

# ---- hardware counters: qemu emulates a cycle counter only on aarch64 ----

check_cycles_sampled() {
	assay record -q -c 1000000 -e cycles -o cycles.assay -- /workloads/shares 1000
	assay report --full --no-pager cycles.assay | head -n 20
	[ "$(ask cycles.assay 'SELECT count(*) > 50 FROM sample')" -eq 1 ]
}

check_cycles_counted() {
	assay record -q -a -d 1 -e cpu-clock --counters=cycles -o cycles.assay
	[ "$(ask cycles.assay 'SELECT max(counter_1) > 1000000 FROM sample')" -eq 1 ]
}

# Prints a column of the row of a function: calls_of FUNCTION FILE.
calls_of() { awk -F, -v name="$1" '$2 == name { print $3 }' "$2"; }

# System calls, also where the kernel is locked down.
check_stopwatch_calls() {
	assay stopwatch --csv -o spans --by retval-sign syscall:read syscall:write \
		-- dd if=/dev/zero of=/dev/null bs=1 count=1000
	cat spans
	awk -F, '$2 == "read" && $17 == "positive" && $3 >= 1000 { reads++ } END { exit !reads }' spans
}

# dd reads and writes 1000 times. The kernel's functions are inside its system calls.
check_stopwatch_kernel() {
	assay stopwatch --csv -o spans kernel:ksys_read kernel:vfs_read kernel:vfs_write \
		syscall:read -- dd if=/dev/zero of=/dev/null bs=1 count=1000
	cat spans
	for function in ksys_read vfs_read read; do
		[ "$(calls_of $function spans)" = 1000 ]
	done
	[ "$(calls_of vfs_write spans)" -ge 1000 ]
	# Each one that was entered has returned. One read(2) had begun before.
	awk -F, 'NR > 1 && $13 + $14 * ($2 != "read") + $15 + $16 { exit 1 }' spans
	assay stopwatch --csv -o sleeps kernel:hrtimer_nanosleep -- sleep 0.2
	cat sleeps
	awk -F, 'NR > 1 { exit !($3 == 1 && $4 >= 2e8 && $4 < 20e8) }' sleeps
	assay stopwatch --csv -o many 'kernel:vfs_*' -- dd if=/dev/zero of=/dev/null bs=1 count=100
	[ "$(calls_of vfs_read many)" = 100 ]
	[ "$(wc -l <many)" -gt 20 ]
}

check_stopwatch_joined() {
	assay stopwatch --csv -o spans --from kernel:vfs_read --to kernel:vfs_write%return \
		-- dd if=/dev/zero of=/dev/null bs=1 count=1000
	cat spans
	awk -F, 'NR > 1 { exit !($3 == 1000 && $13 == 0) }' spans
	assay stopwatch --csv -o by --by thread --off-cpu kernel:vfs_read syscall:read \
		-- dd if=/dev/zero of=/dev/null bs=1 count=100
	cat by
	[ "$(calls_of vfs_read by)" = 100 ]
	assay stopwatch --csv -o counts --by count kernel:vfs_read \
		-- dd if=/dev/zero of=/dev/null bs=7 count=100
	cat counts
	awk -F, '$17 == 7 { calls = $3 } END { exit calls != 100 }' counts
	assay stopwatch --csv -o waits --preset runqueue -- sh -c 'for i in 1 2 3; do sleep 0.05; done'
	cat waits
	awk -F, 'NR > 1 { exit !($3 >= 3 && $4 > 0) }' waits
}

# Functions of a program, also before Linux 6.6.
check_stopwatch_functions() {
	assay stopwatch --csv -o spans '/workloads/shares:*' -- /workloads/shares 200
	cat spans
	awk -F, 'NR > 1 && $3 > 0 { calls++ } END { exit !calls }' spans
}

# The workload's functions are all called by main().
check_stopwatch_callers() {
	assay stopwatch --csv -o spans --by caller '/workloads/shares:burn_*' -- /workloads/shares 200
	cat spans
	awk -F, 'NR > 1 && $3 > 0 { calls++ } NR > 1 && $NF !~ /^shares:/ { exit 1 }
		 END { exit !calls }' spans
}

# Control groups have names here, because there is no cgroup v1.
check_stopwatch_cgroups() {
	mkdir -p /sys/fs/cgroup/spans
	assay stopwatch --csv -o spans --by cgroup syscall:write -- sh -c \
		'echo 1; echo $$ >/sys/fs/cgroup/spans/cgroup.procs; echo 2; echo 3'
	cat spans
	awk -F, 'NR > 1 { calls[$NF] = $3 } END { exit !(calls["/"] == 1 && calls["/spans"] == 3) }' spans
}

# Static probes, also before Linux 6.6.
check_stopwatch_usdt() {
	assay stopwatch --csv -o spans --from usdt:/workloads/usdt:work:start \
		--to usdt:/workloads/usdt:done --key arg0=arg1 -- /workloads/usdt 100 >places
	cat spans places
	[ "$(cat places)" = '3 of 3 places' ]
	awk -F, 'NR > 1 { exit $3 != 100 }' spans
}

check_stopwatch_refused() {
	status=0
	assay stopwatch kernel:no_such_function -- true 2>message || status=$?
	cat message
	[ $status = 1 ]
	grep -q 'kernel:no_such_function: the kernel has no such function' message
}

# A task that sleeps in a call leaves the CPU there. Cycles exist only on aarch64.
check_stopwatch_counters() {
	assay stopwatch --csv -o sleeps --counters context-switches,page-faults \
		kernel:hrtimer_nanosleep -- sleep 0.2
	cat sleeps
	awk -F, 'NR > 1 { exit !($3 == 1 && $17 >= 1 && $18 == 0 && $19 == 0) }' sleeps
	[ "$ARCH" = aarch64 ] || return 0
	assay stopwatch --csv -o spans --counters cycles,task-clock '/workloads/shares:*' \
		-- /workloads/shares 500
	cat spans
	awk -F, 'NR > 1 { cycles = $17 > cycles ? $17 : cycles; incomplete += $19 }
		END { exit !(cycles > 1000000 && incomplete == 0) }' spans
}

# What slow calls have, in sum and one by one. Cycles exist only on aarch64.
check_stopwatch_slow() {
	assay stopwatch -q --csv -o slow.assay --slow 100ms --counters context-switches --value retval \
		kernel:hrtimer_nanosleep -- sh -c 'sleep 0.2; sleep 0.01'
	[ "$(ask slow.assay "SELECT count(*) FROM span WHERE slow AND counter_1 >= 1")" -eq 1 ]
	[ "$(ask slow.assay "SELECT max(counter_4) > 100000000 FROM span")" -eq 1 ]
	[ "$(ask slow.assay "SELECT total >= 2 FROM span_amount ORDER BY counter LIMIT 1")" -eq 1 ]
	[ "$ARCH" = aarch64 ] || return 0
	assay stopwatch -q --csv -o cycles.assay --trace --counters cycles '/workloads/shares:main' \
		-- /workloads/shares 500
	[ "$(ask cycles.assay "SELECT sum(counter_1) > 1000000 FROM span")" -eq 1 ]
	[ "$(ask cycles.assay "SELECT abs(a.total + a.inside - (SELECT sum(counter_1) FROM span))
		<= a.inside FROM span_amount a ORDER BY a.counter LIMIT 1")" -eq 1 ]
}

# Samples are told apart by the calls that they fell into. All of the workload is inside of main().
check_record_spans() {
	assay record -q -o spans.assay --stopwatch '/workloads/shares:main' --stopwatch kernel:vfs_read \
		--slow 1ms -- /workloads/shares 1000
	assay report --stopwatch --no-pager -i spans.assay
	[ "$(ask spans.assay "SELECT count FROM span_total t JOIN event e ON e.id = t.event
		WHERE e.name = 'span:shares:main'")" -eq 1 ]
	[ "$(ask spans.assay "SELECT count(*) FROM span WHERE slow AND name = 'shares:main'")" -eq 1 ]
	inside=$(samples_of --span shares:main)
	on_stack=$(samples_of --symbol main)
	echo "$inside $on_stack"
	[ "$inside" -gt 100 ]
	[ $((inside - on_stack)) -le 5 ]
	[ $((on_stack - inside)) -le 5 ]
}

samples_of() {
	assay report --by context --csv --context user "$@" -i spans.assay | tail -n 1 | cut -d, -f3
}

# A command that takes more CPU time has more cycles, in the same ratio. A group keeps it together.
check_cycles_of_command() {
	for work_ms in 200 2000; do
		assay stat --csv -e '{cycles,task-clock}' -- /workloads/shares $work_ms >$work_ms.csv
		cat $work_ms.csv
		cycles=$(sed -n 's/^,,cycles,[^,]*,1,\([0-9]*\),.*/\1/p' $work_ms.csv)
		[ "$cycles" -gt 1000000 ]
		eval "cycles_$work_ms=$cycles"
	done
	[ "$cycles_2000" -gt $((cycles_200 * 3)) ]
}

# ---- the checks of each scenario, in their order ----

case $SCENARIO in
lockdown)
	unit_tests="sampler-bpf_raw sampler-bpf_sampler perf-record_live perf-system_limits"
	checks="doctor record_all collector_bpf stacks_in_kernel stacks_of_tables off_cpu
		tracepoints_hidden plain_user stopwatch_calls"
	;;
short)
	unit_tests="sampler-bpf_raw sampler-bpf_sampler perf-record_live"
	checks="doctor record_all collector_bpf stacks_in_kernel off_cpu off_cpu_of_cgroup tracepoints
		stopwatch_kernel stopwatch_joined stopwatch_functions stopwatch_callers
		stopwatch_usdt stopwatch_counters stopwatch_slow record_spans"
	if [ "$ARCH" = aarch64 ]; then
		unit_tests=$(ls /tests)
		checks="doctor collector_bpf stacks_in_kernel off_cpu cycles_sampled cycles_counted
			cycles_of_command stopwatch_callers stopwatch_usdt stopwatch_counters
			stopwatch_slow record_spans"
	fi
	;;
rings)
	COLLECTORS=ring
	unit_tests="perf-record_live perf-system_limits session-workload unwind-walk_live"
	checks="doctor sampler_needs_loop collector_ring record_all cpu_hotplug kernel_symbols
		stacks_of_tables tracepoints plain_user plain_user_is_refused paranoid clock_steps"
	;;
no-btf)
	unit_tests="perf-record_live perf-system_limits"
	checks="doctor sampler_needs_btf collector_ring record_all stacks_of_tables plain_user"
	;;
*)
	unit_tests=$(ls /tests)
	checks="doctor record_all collector_bpf kernel_symbols kernel_code stacks_in_kernel
		stacks_of_tables off_cpu off_cpu_of_cgroup tracepoints plain_user
		plain_user_is_refused stopwatch_calls stopwatch_cgroups stopwatch_kernel
		stopwatch_joined stopwatch_functions stopwatch_callers stopwatch_usdt
		stopwatch_refused stopwatch_counters stopwatch_slow record_spans"
	[ "$ARCH" != aarch64 ] || checks="$checks cycles_sampled cycles_counted cycles_of_command"
	;;
esac
if [ $# -gt 0 ]; then
	unit_tests=
	checks=$*
fi

run() {
	[ "$FROM" != "$name" ] || FROM=
	[ -z "$FROM" ] && [ "$name" != "$WITHOUT" ] || return
	say RUN "$name"
	"$1"
}

for name in $unit_tests; do run unit_test; done
for name in $checks; do run check; done
