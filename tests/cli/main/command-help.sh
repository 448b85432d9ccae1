# `assay help COMMAND` is `assay COMMAND --help`.
for command in run record report tree callgraph peek sql list doctor; do
	assay help $command >one
	assay $command --help >other
	cmp one other && head -n 1 one
done
