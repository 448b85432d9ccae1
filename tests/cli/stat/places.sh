# status: 1
# Threads and CPUs apart, and each but once.
sleep 5 &
until grep -qx sleep /proc/$!/comm; do sleep 0.02; done
assay stat -p $! -d 0.1 --per-thread --csv -e task-clock | cut -d , -f 2,3 | sed "s/tid $!/tid TID/"
assay stat -t $! -d 0.1 -e task-clock | tail -n +2 | awk '{ print $3 }'
kill $!
assay stat -C 0 -d 0.1 --per-cpu --csv -e cpu-clock | cut -d , -f 2,3
# Root counts the whole machine; others are told what is in the way.
[ "$(id -u)" -eq 0 ] || { echo "needs root to count whole CPUs"; exit 77; }
cpus=$(assay stat -a --per-cpu --csv -e cpu-clock -- sleep 0.1 | grep -c '^,cpu ')
[ "$cpus" -eq "$(getconf _NPROCESSORS_ONLN)" ] && echo "every CPU"
assay stat -C 4095 -e cpu-clock -- true
