# The hottest function is shown without its file, from what the recording kept; without that only
# from the very file that was recorded.
. "$CASES/spin"
rows() { sed -n 's/, 0x.*; code/, code/p'; }
mv counting away
assay annotate "counting:$function" | rows | sed 's/ in .*,/ in ...,/'
sqlite3 profile.assay "DELETE FROM block WHERE kind = 'code'; DROP TABLE sealed"
assay annotate "counting:$function" 2>&1 | sed 's/open .*:/open ...:/'
cp /bin/true counting
assay annotate "counting:$function" 2>&1 | sed 's/^assay: .*counting/assay: ...counting/; s/is [0-9a-f]\{40\}/is A/; s/[0-9a-f]\{40\}$/B/'
mv away counting
assay annotate "counting:$function" | rows | sed 's/ in .*,/ in ...,/'
