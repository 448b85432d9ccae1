# status: 1
assay record -q -- true
assay sql 'DELETE FROM context' 2>&1
