# What cannot be merged is refused before anything is written, with the name of the file.
printf 'main;run 7\n' >a.folded
printf 'main;run 9\n' >b.folded
assay import -q -o a.assay a.folded
assay import -q -o b.assay b.folded
try() { assay merge "$@" 2>&1 | sed "s/, [0-9.]* KiB/, N KiB/; s|$PWD/||"; }
try
try -o m.assay a.assay missing.assay
try -o m.assay a.assay a.folded
try -o m.assay a.assay ./a.assay
try -o a.assay a.assay b.assay
cp a.assay newer.assay
sqlite3 newer.assay 'PRAGMA user_version = 99'
try -o m.assay a.assay newer.assay
cp a.assay x86.assay
cp b.assay arm.assay
sqlite3 x86.assay "INSERT OR REPLACE INTO meta VALUES('arch', 'x86_64')"
sqlite3 arm.assay "INSERT OR REPLACE INTO meta VALUES('arch', 'aarch64')"
try -o m.assay x86.assay arm.assay
cp b.assay period.assay
sqlite3 period.assay 'UPDATE event SET period = 7, frequency_hz = 0'
try -o m.assay a.assay period.assay
cp b.assay unit.assay
sqlite3 unit.assay 'UPDATE event SET is_time = 1'
try -o m.assay a.assay unit.assay
try -o missing/m.assay a.assay b.assay
[ -e m.assay ] && echo 'm.assay was made'
echo text >text
try -o text a.assay b.assay

# An output that exists is kept, as by record.
try -o m.assay a.assay b.assay
try -o m.assay b.assay a.assay
ls m.assay*

# A full disk.
(ulimit -f 8; trap '' XFSZ; try -o full.assay a.assay b.assay | sed 's/: [^:]*$//')
