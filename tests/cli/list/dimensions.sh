assay list dimensions
