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
generated= dumper= dump_server=
trap 'kill -KILL $program $generated $dumper $server $dump_server' EXIT
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

# A program whose jitdump falls silent while it is recorded.
cat >dumper.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
#ifdef __aarch64__
	unsigned int loop[] = { 0x14000000 };
	const uint32_t machine = 183;
#else
	unsigned char loop[] = { 0xeb, 0xfe };
	const uint32_t machine = 62;
#endif
	void *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *dump = fopen("dump", "w");
	struct timespec now;
	char name[64];

	memcpy(code, loop, sizeof(loop));
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	uint32_t pid = (uint32_t)getpid(), header[] = { 0x4a695444, 1, 40, machine, 0, pid };
	uint32_t size = 16 + 40 + 7 + sizeof(loop), record[] = { 0, size };
	uint64_t times[] = { ns, 0 }, at = (uint64_t)code, load[] = { at, at, sizeof(loop), 1 };

	fwrite(header, sizeof(header), 1, dump);
	fwrite(times, sizeof(times), 1, dump);
	fwrite(record, sizeof(record), 1, dump);
	fwrite(times, 8, 1, dump);
	fwrite((uint32_t[]){ pid, pid }, 8, 1, dump);
	fwrite(load, sizeof(load), 1, dump);
	fwrite("looper", 7, 1, dump);
	fwrite(loop, sizeof(loop), 1, dump);
	fclose(dump);
	snprintf(name, sizeof(name), "growing/jit-%u.dump", pid);
	if (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(name, O_RDONLY), 0) == MAP_FAILED)
		return 1;
	((void (*)(void))code)();
}
END
cc -O1 -o dumper dumper.c
mkdir growing
python3 "$SOURCE/tests/support/silent_mount.py" growing built growing-silent dump >/dev/null 2>&1 &
dump_server=$!
for try in $(seq 100); do
	[ -e growing/program ] && break
	sleep 0.1
done
./dumper >/dev/null 2>&1 &
dumper=$!
sleep 0.3
loopers() { assay sql "$1" "SELECT (SELECT total(samples) FROM flat WHERE function = 'looper') > 9 AS named,
	count(*) > 9 AS samples FROM sample JOIN thread ON thread.id = thread
	WHERE comm = 'dumper'" | tail -n 1; }
assay record -q -a -e cpu-clock -o dumped.assay -- sleep 1
loopers dumped.assay
# What was sampled is stored once a second, after the jitdumps have been read. The recorder must have
# done that before the file system falls silent, and do it again after.
cat >until-read.sh <<'END'
until assay sql falling.assay "SELECT count(*) > 0 FROM sample" 2>/dev/null | grep -q '^ *1$'; do
	sleep 0.1
done
: >growing-silent
sleep 2.5
END
timeout -s KILL 60 assay record -q -a -e cpu-clock -o falling.assay -- sh until-read.sh
echo "exit $?"
loopers falling.assay
assay report --section losses falling.assay | grep -o 'files *jitdump-unread'

# With ^C while the files of all processes are opened.
timeout -s KILL 60 timeout -s INT 0.5 assay record -q -a -e cpu-clock -o interrupted.assay
echo "exit $?"
