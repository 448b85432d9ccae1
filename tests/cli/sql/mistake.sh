# status: 1
assay record -q -- true
assay sql 'SELEKT * FROM context' 2>&1
