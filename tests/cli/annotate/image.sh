# Of an image the hottest functions, in their order; of a function no more rows than wanted.
. "$CASES/spin"
assay annotate --csv --functions 2 counting | python3 -c "
import csv, sys
shown = list(dict.fromkeys(row['function'] for row in csv.DictReader(sys.stdin)))
wanted = [row['function'] for row in csv.DictReader(open('functions'))][:len(shown)]
print(len(shown), shown == wanted)"
assay annotate --csv --limit 5 "counting:$function" | wc -l
assay annotate --limit 5 "counting:$function" | grep -c -e '^ .*  [0-9a-f]\{4,\}  '
