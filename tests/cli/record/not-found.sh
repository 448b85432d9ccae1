# status: 127
assay record -q -- ./no-such-command 2>&1
