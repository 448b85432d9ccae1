# The clocks work everywhere; a pattern may be a shell pattern.
assay list events 'cpu-clock'
assay list events 'task-cl?ck'
assay list 'events' 'cpu-c[l]ock' | wc -l
