# Every command of `assay help` has a page, is named in assay(1) and is completed.
commands=$(assay help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
	[ -f "$SOURCE/docs/man/assay-$command.1" ] || echo "$command: no page"
	grep -q "assay-$command 1" "$SOURCE/docs/man/assay.1" || echo "$command: not in assay(1)"
	grep -q "'assay-$command.1'" "$SOURCE/docs/man/meson.build" || echo "$command: not installed"
done
for page in "$SOURCE"/docs/man/assay-*.1; do
	command=${page##*assay-}
	echo "$commands" | grep -qx "${command%.1}" || echo "$page: no such command"
done
echo $commands
