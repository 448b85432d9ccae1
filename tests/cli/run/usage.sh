# status: 2
assay run 2>&1
