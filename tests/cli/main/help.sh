# The list of commands, also as --help.
assay help
assay help >help
assay --help | cmp - help
