# One line for each thing that is tried; details differ between machines.
assay doctor | grep -v -e '^  *costs:' -e '^  *allow:' | cut -c 10-32 | sed 's/ *$//'
