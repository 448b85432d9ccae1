# status: 1
# In a pid namespace without a /proc of its own nothing is recorded, and no command is started.
unshare -pf --mount-proc true 2>/dev/null || { echo "a pid namespace with a /proc of its own may not be made here"; exit 77; }
unshare -pf assay record -- touch started 2>&1
status=$?
ls
unshare -pf --mount-proc assay record -q -o own.assay -- true && ls
exit $status
