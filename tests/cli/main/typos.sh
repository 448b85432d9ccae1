# Mistyped words get a suggestion.
assay reprt 2>&1
assay report --limt 3 2>&1 | sed -n 2p
assay report --by functoin 2>&1 | head -n 1
assay report --section helth 2>&1 | head -n 1
assay report --context sycall 2>&1 | head -n 1
assay export -f pproff 2>&1 | head -n 1
# Nothing is similar to this word.
assay report --nosuchthing 2>&1 | sed -n 2p
