# status: 3
assay list events no-such-event-here
