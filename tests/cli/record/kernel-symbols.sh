# What was read of the kernel's symbols is kept for the next recording, and checked.  It is not
# kept where the kernel's code changes meanwhile, as when others load BPF programs: tried again.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
mkdir cache
export XDG_CACHE_HOME="$PWD/cache"
kept=cache/assay/kernel-symbols
record() {
	assay record -q -e cpu-clock -F 999 -o "$1" -- dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none
}
named() {
	assay sql --csv "$1" "SELECT count(*) > 0 FROM location l JOIN function f ON f.id = l.function
		JOIN image i ON i.id = l.image WHERE i.path = '[kernel]' AND f.name NOT LIKE '[%'" | tail -1
}
end=$(($(date +%s) + 50))
until [ -e $kept ] || [ "$(date +%s)" -ge $end ]; do
	record first.assay
done
[ -e $kept ] || { echo "the kernel's code never stands still here"; exit 77; }
stat -c "kept with mode %a" $kept
echo "named at first: $(named first.assay)"
record second.assay
echo "named from what was kept: $(named second.assay)"
head -c 100000 $kept > cut && cat cut > $kept
record third.assay
echo "named beside a damaged copy: $(named third.assay)"
rm -f $kept && ln -s /dev/zero $kept
record fourth.assay
echo "named beside a link to a device: $(named fourth.assay)"
