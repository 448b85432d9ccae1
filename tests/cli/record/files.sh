# The recording is its owner's alone, and the one before it is kept.
assay record -q -- true
stat -c '%A %n' profile.assay
assay record -q -- true
assay record -q -o other.assay -- true
ls
