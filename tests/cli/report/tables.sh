# What is left out is said; time and CPUs stand in their order; what is printed can be asked for.
. "$CASES/busy"
assay report --by function --limit 1 | tail -n 1
assay report --csv --by time | tail -n +2 | cut -d s -f 1 | sort -nc && echo "in order of time"
slices=$(assay report --csv --by time | tail -n +2 | wc -l)
[ "$slices" -ge 15 ] && [ "$(assay report --by time | grep -c 's-')" = "$slices" ] && echo "all of it"
image=$(assay report --csv --by image | sed -n 2p | cut -d , -f 1)
assay report --csv --by image --image "$image" | wc -l
assay report --csv --by image --image '[kernel]' | sed -n 2p | cut -d , -f 1
assay report --time 0s-1ms,2ms-3ms 2>&1 | head -n 1
assay report --limit "$(printf '\033[2J')" 2>&1 | head -n 1
# Rows of time begin where the range begins, and are as long as asked for.
assay report --by time --step 50ms --time 120ms-270ms | sed -n 's/.*  \([0-9.]*s-[0-9.]*s\)$/\1/p'
assay report --by time --step 50ms | grep -c '  #*  *[0-9.]*s-' | sed 's/[1-9][0-9]*/bars/'
assay report --step 50ms 2>&1 | head -n 1
