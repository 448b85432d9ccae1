# How far user stacks could be walked, by image; the kernel's own walk is not judged.
assay record -q -e cpu-clock --call-graph dwarf -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
assay sql profile.assay "SELECT sum(count) > 0 AS walked FROM image_health
	WHERE outcome LIKE 'stopped-%'"
assay sql profile.assay "SELECT count(*) AS nameless FROM image_health
	WHERE image NOT IN (SELECT id FROM image) OR count = 0"
assay record -q -e cpu-clock --collector ring -- true
assay sql profile.assay "SELECT count(*) AS rows FROM image_health"
