# status: 1
assay report 2>&1
