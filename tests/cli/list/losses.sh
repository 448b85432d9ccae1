# Each loss has a name, a unit and a meaning; the pattern is a part of the name.
assay list losses ring
