# status: 2
assay list nonsense 2>&1
