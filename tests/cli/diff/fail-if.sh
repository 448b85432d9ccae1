# Conditions that hold are named on stderr and give 3; others do not.
. "$CASES/recordings"
check() {
	assay diff "$@" before.assay after.assay 2>&1 >/dev/null
	echo "exit $?"
}
check --fail-if 'self(^growing$) > +10%'
check --fail-if 'self(^growing$) > +60%' --fail-if 'total(main) < -50%'
check --fail-if 'total(steady) < -5% @99' --fail-if 'self(growing)>x1.5'
check --fail-if 'self(no such) > +1%'
check --event 'no-such-*'
