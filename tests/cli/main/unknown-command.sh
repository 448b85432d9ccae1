# status: 2
assay recrod 2>&1 || true
assay "$(printf 'nonsense\033[31m')" 2>&1
