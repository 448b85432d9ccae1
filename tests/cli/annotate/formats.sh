# JSON, CSV and sums by block agree with each other and with the report.
. "$CASES/spin"
assay annotate --json "counting:$function" >all.json
assay annotate --csv "counting:$function" >all.csv
assay annotate --csv --by block "counting:$function" >blocks.csv
python3 - <<-'END'
import csv, json
report = int(next(csv.DictReader(open("functions")))["samples"])
(function,) = json.load(open("all.json"))["functions"]
rows = function["instructions"]
end = int(function["vaddr"], 16)
for row in rows:
    assert int(row["vaddr"], 16) == end, row
    end += row["length"]
assert end == int(function["vaddr"], 16) + function["size_bytes"]
sums = {sum(row["samples"] for row in rows), sum(b["samples"] for b in function["blocks"]),
        sum(int(row["samples"]) for row in csv.DictReader(open("all.csv"))),
        sum(int(row["samples"]) for row in csv.DictReader(open("blocks.csv")))}
assert sums == {report} == {function["samples"]}, (sums, report, function["samples"])
assert all(row["of_all"]["low"] <= row["of_all"]["share"] <= row["of_all"]["high"] for row in rows)
print("agree")
END
head -n 1 all.csv
head -n 1 blocks.csv
