# A program whose name has a newline, quotes, a comma, an escape and markup: safe in each format.
name=$(printf 'a\nb,"\033[31m<i>')
printf 'static volatile long sink; int main(void) { for (long i = 0; i < 1000000000; i++) sink += i; }' >work.c
cc -O1 -o "$name" work.c
assay record -q -e cpu-clock -F 999 -- "./$name"
cp profile.assay other.assay
for output in "trace --fields comm,image --limit 50" "trace --csv --fields comm,image --limit 50" \
	"trace --json --limit 50" "diff --by application,image profile.assay other.assay" \
	"diff --csv --by stack profile.assay other.assay" \
	"diff --json --by application profile.assay other.assay"; do
	assay $output >out
	grep -c "$(printf '\033')" out
done
assay trace --json --fields comm,image | NAME=$name python3 -c "
import json, os, sys
rows = [json.loads(line) for line in sys.stdin]
print('whole', any(row['image'] == os.environ['NAME'] for row in rows))"
assay diff --json --by application profile.assay other.assay | NAME=$name python3 -c "
import json, os, sys
print('whole', any(row['application'] == os.environ['NAME'] for row in json.load(sys.stdin)['rows']))"
