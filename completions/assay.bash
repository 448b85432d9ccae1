# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for assay
#
# Commands and options are asked from the program itself, so they cannot fall behind it.

_assay_words() {
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_assay_files() {
	local IFS=$'\n'
	compopt -o filenames
	COMPREPLY=($(compgen -f -- "$cur"))
}

_assay_commands() {
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z]\+\) .*/\1/p'
	echo help
}

_assay_options() {
	"$1" "$2" --help 2>/dev/null | grep -o -E -e '^ +(-[a-zA-Z?],? *)?(--[a-z-]+)?' |
		grep -o -E -e '-[-a-zA-Z?]+'
}

# The last of several values joined by commas is completed, those before it stay.
_assay_list() {
	local before=
	[[ $cur == *,* ]] && before=${cur%,*},
	compopt -o nospace
	_assay_words "$("$1" list "$2" 2>/dev/null | sed "s/^\([^ ]*\).*/${before//\//\\/}\1/")"
}

_assay_argument() {
	local assay=$1 command=${words[1]} previous=$prev i

	# What stands behind "--" is another program's command line.
	for ((i = 2; i < cword; i++)); do
		if [[ ${words[i]} == -- ]]; then
			_command_offset $((i + 1)) 2>/dev/null || _assay_files
			return
		fi
	done
	[[ $previous == = ]] && previous=${words[cword - 2]}
	case $previous in
	-e | --event | --counters) _assay_list "$assay" events ;;
	--by)
		if [[ $command == annotate ]]; then
			_assay_words "instruction block"
		else
			_assay_list "$assay" dimensions
		fi
		;;
	--context) _assay_list "$assay" contexts ;;
	-f | --format)
		_assay_words "$("$assay" list formats 2>/dev/null | sed -n "s/ .* $command .*//p")"
		;;
	--call-graph) _assay_words "dwarf fp none" ;;
	--color) _assay_words "image context" ;;
	--collector) _assay_words "bpf ring" ;;
	-u | --uid) _assay_words "$(getent passwd | cut -d: -f1)" ;;
	-p | --pid) _assay_words "$(cd /proc && echo [0-9]*)" ;;
	*)
		if [[ $cur == -* ]]; then
			_assay_words "$(_assay_options "$assay" "$command")"
		elif [[ $command == help ]]; then
			_assay_words "$(_assay_commands "$assay")"
		elif [[ $command == list && $cword == 2 ]]; then
			_assay_words "events portable dimensions contexts losses formats"
		else
			_assay_files
		fi
		;;
	esac
}

_assay() {
	local cur=$2 prev=$3 words=("${COMP_WORDS[@]}") cword=$COMP_CWORD

	# Names of tracepoints contain a colon, at which bash breaks words.
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n : cur prev words cword
	fi
	[[ $cur == = ]] && cur=
	if ((cword == 1)); then
		_assay_words "$(_assay_commands "$1") --help --version"
	else
		_assay_argument "$1"
	fi
	if declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _assay assay
