# Files and links of another user in a directory that others may write are not written to.
[ "$(id -u)" -eq 0 ] || { echo "needs root to make files of another user"; exit 77; }
printf 'main;run 400\n' >a.folded
assay import -q -o a.assay a.folded
mkdir shared && chmod 1777 shared
echo precious >target
ln -s "$PWD/target" shared/link && chown -h nobody shared/link
echo old >shared/file && chmod 666 shared/file && chown nobody shared/file
for output in shared/link shared/file; do
	assay flame -o $output a.assay
	assay export -f folded -o $output a.assay
	assay stat -o $output -- true
done 2>&1
cat target shared/file
# Links and files of one's own are.
ln -s "$PWD/target" shared/own
assay export -f folded -o shared/own a.assay && cat target
assay flame -o shared/new a.assay && assay flame -o shared/new a.assay && stat -c %U shared/new
