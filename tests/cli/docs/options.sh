# The options of each command are the same in --help, in its page and in the completion; what
# `run` and `top` share with `record` stands in the latter's page.
common='^(-\?|--help|--usage)$'
for command in $(assay help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	assay $command --help | grep -o -E -e '^ +(-[a-zA-Z?],? *)?(--[a-z-]+)?' |
		grep -o -E -e '-[-a-zA-Z?]+' | grep -v -E -e "$common" | sort >help
	pages=$SOURCE/docs/man/assay-$command.1
	case $command in
	run | top) pages="$pages $SOURCE/docs/man/assay-record.1" ;;
	esac
	mandoc -Tascii $pages | sed 's/.\x08//g' | expand |
		grep -o -E -e '^     (-[a-zA-Z](, --[a-z-]+)?|--[a-z-]+)' |
		grep -o -E -e '-[-a-zA-Z]+' | sort >page
	bash "$CASES/complete" "assay $command -" | grep -v -E -e "$common" | sort >completed
	diff -U0 help page | sed "s/^/$command, page: /"
	diff -U0 help completed | sed "s/^/$command, completion: /"
	[ "$command" = doctor ] || [ "$(wc -l <help)" -ge 2 ] || echo "$command: no options found"
done
echo compared
