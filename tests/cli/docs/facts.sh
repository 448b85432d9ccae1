# The table of facts in the schema is the one that the program is built with.
"$SOURCE"/tools/schema-facts
