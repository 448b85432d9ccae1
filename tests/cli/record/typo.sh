# A command that cannot be executed costs none of the recordings before it.
assay record -q -- sh -c 'exit 0; first'
assay record -q -- sh -c 'exit 0; second'
cp profile.assay before
assay record -q -- ./no-such-command 2>/dev/null
echo "exit $?"
touch plain-file
assay record -q -- ./plain-file 2>/dev/null
echo "exit $?"
assay record -q -o new.assay -- ./no-such-command 2>/dev/null
ls
cmp profile.assay before
command="SELECT replace(value, '''', '') AS command FROM meta WHERE key = 'command'"
assay sql -c "$command"
assay sql -c profile.assay.old "$command"
