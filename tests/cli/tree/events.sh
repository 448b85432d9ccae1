# Events that cannot be added are refused by name; modifiers of one event can be added.
assay record -q -e cpu-clock,page-faults -o file -- true
assay tree --event '*' file 2>&1; echo "exit $?"
assay flame --event 'cpu-clock,page-faults' -o flame.svg file 2>&1; echo "exit $?"
assay report --by event --event '*' --csv file | head -n 1
