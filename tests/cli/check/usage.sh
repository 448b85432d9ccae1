# What makes no sense is refused with 2 and a reason.
refused() {
	assay check "$@" 2>&1 | head -1
	assay check "$@" >/dev/null 2>&1
	echo "exit $?"
}
refused
refused --max-lost few
refused --min-samples 10%
refused --min-samples 1.5
refused --max-late -1
refused --max-late 1 a b
assay check --min-samples 1 missing.assay 2>&1
echo "exit $?"
