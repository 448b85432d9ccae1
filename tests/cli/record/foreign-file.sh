# status: 1
# What is no recording is not overwritten.
echo precious >notes
assay record -q -o notes -- true 2>&1
status=$?
cat notes
exit $status
