# A file that cannot be written to its end leaves the one before it as it was, and nothing beside.
. "$CASES/../report/busy"
trap '' XFSZ
mkdir out
echo precious >out/kept
ln -s kept out/link
for name in kept link new; do
	(ulimit -f 4; exec assay export -f csv -o out/$name 2>&1 | sed 's,: /.*/,: ,')
done
cat out/kept
ls out
# What is whole takes its place, with its mode, also behind a link.
chmod 600 out/kept
assay export -f folded -o out/link 2>/dev/null
grep -c precious out/kept
stat -c '%a %F' out/kept out/link
(umask 027; assay export -f folded -o out/new 2>/dev/null)
cmp out/new out/kept
stat -c %a out/new
ls out
