assay list contexts
