# A function of generated code that was compiled again is one row, and annotate lists its addresses.
cat >work.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline, aligned(64))) static void spin(unsigned long count)
{
	for (volatile unsigned long i = 0; i < count; i++)
		;
}
__attribute__((noinline, aligned(64))) static void after_spin(void) { }
int main(void)
{
	char *code = mmap(NULL, 4 << 12, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	after_spin();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *map = fopen(path, "w");
	for (int i = 0; i < 4; i++) {
		memcpy(code + (i << 12), spin, 64);
		fprintf(map, "%lx 40 %s\n", (long)(code + (i << 12)), i < 3 ? "again" : "once");
	}
	fclose(map);
	__builtin___clear_cache(code, code + (4 << 12));
	for (int i = 0; i < 4; i++)
		((void (*)(unsigned long))(code + (i << 12)))(200000000);
	usleep(100000);
	unlink(path);
	return 0;
}
END
gcc -O1 -fcf-protection=none -o work work.c 2>/dev/null || gcc -O1 -o work work.c
assay record -q -e cpu-clock -F 999 -M 50 -- ./work
only="--comm work --context user"
assay report --csv --by function $only | cut -d , -f 2 | grep -xE 'again|once' | sort
assay tree --csv $only | cut -d , -f 4 | grep -xE 'again|once' | sort
assay annotate --no-pager again 2>&1 | sed 's/0x[0-9a-f]*/0xN/g; s/ *[0-9.]*%/ N%/'
