assay --version
