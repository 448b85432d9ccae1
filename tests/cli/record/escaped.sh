# Control bytes in an event's name reach no terminal.
assay record -e "$(printf 'bad\033]0;title\007')" -- true 2>&1 >/dev/null | LC_ALL=C grep -c '[[:cntrl:]]' || true
