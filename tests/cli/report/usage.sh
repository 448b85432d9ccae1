# status: 2
# Words that do not exist are answered with those that do.
assay report --by colour 2>&1 || true
assay report --context sleeping 2>&1 || true
assay report --time 3s-1s 2>&1 || true
assay report --limit few 2>&1 || true
assay report one two 2>&1
