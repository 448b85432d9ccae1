# Messages go to standard error: which event and why, then what became of it. -q has none.
assay record -- true
assay record -q -- true 2>quiet
cat quiet
assay record -- true 2>&1 | sed -n '1p;$p'
