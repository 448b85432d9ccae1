# status: 2
# Without a command the help is a message, not data.
assay 2>help || status=$?
head -n 1 help
exit $status
