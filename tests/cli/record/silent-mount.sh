# A program runs from a file system that no longer answers. The recording does not wait for it.
{ [ -c /dev/fuse ] && [ "$(id -u)" = 0 ]; } || { echo "needs root and FUSE"; exit 77; }
# The mount goes away with its namespace.
[ "$INSIDE" ] || INSIDE=1 exec unshare --mount --propagation private sh "$0"
cat >program.c <<'END'
int main(void) { for (volatile unsigned long i = 0;; i++); }
END
cc -O1 -o built program.c || { echo "no compiler"; exit 77; }
mkdir mounted
python3 "$SOURCE/tests/support/silent_mount.py" mounted built silent >/dev/null 2>&1 &
server=$!
for try in $(seq 100); do
	[ -e mounted/program ] && break
	sleep 0.1
done
[ -e mounted/program ] || { echo "FUSE cannot be mounted here"; exit 77; }
mounted/program >/dev/null 2>&1 &
program=$!
generated=
trap 'kill -KILL $program $generated $server' EXIT
sleep 0.2
ask() { assay sql "$1" "SELECT group_concat(DISTINCT function) AS functions FROM flat
	WHERE image LIKE '%/program'" | tail -n 1; }

assay record -q -a -e cpu-clock -o answers.assay -- sleep 0.5
ask answers.assay
: >silent
timeout -s KILL 60 assay record -q -a -e cpu-clock -o silent.assay -- sleep 0.5
echo "exit $?"
ask silent.assay
assay report --section losses silent.assay | grep -o 'images *image-unreadable'

# A program of generated code whose /tmp does not answer, where its perf map would be.
cat >generated.c <<'END'
#include <string.h>
#include <sys/mman.h>
int main(void)
{
#ifdef __aarch64__
	unsigned int loop[] = { 0x14000000 };
#else
	unsigned char loop[] = { 0xeb, 0xfe };
#endif
	void *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	((void (*)(void))memcpy(code, loop, sizeof(loop)))();
}
END
cc -O1 -o generated generated.c
unshare --mount sh -c 'mount --bind mounted /tmp && exec ./generated' >/dev/null 2>&1 &
generated=$!
sleep 0.2
timeout -s KILL 60 assay record -q -a -e cpu-clock -o generated.assay -- sleep 0.5
echo "exit $?"
assay sql generated.assay "SELECT count(*) > 9 AS samples FROM sample JOIN thread ON thread.id = thread
	WHERE comm = 'generated'" | tail -n 1

# With ^C while the files of all processes are opened.
timeout -s KILL 60 timeout -s INT 0.5 assay record -q -a -e cpu-clock -o interrupted.assay
echo "exit $?"
