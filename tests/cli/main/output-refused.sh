# status: 1
# Data that could not be written is a failure.
assay list contexts 2>&1 >/dev/full
