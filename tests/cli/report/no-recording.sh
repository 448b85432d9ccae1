# status: 1
echo 'no recording' >notes
assay report notes 2>&1
