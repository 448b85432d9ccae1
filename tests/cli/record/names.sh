# A name selects processes that run, and those that start later, but no others.
cat >work.c <<'END'
#include <time.h>
int main(void)
{
	struct timespec used;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < 800);
	return 0;
}
END
gcc -O1 -o wanted work.c
cp wanted other
ln -s wanted alias
cat >all <<'END'
./wanted
./alias
./other
END
for collector in bpf ring; do
	assay record -q --collector $collector -e cpu-clock -F 999 -p alias,none -- sh ./all ||
		exit 77
	assay report --csv --by application | cut -d , -f 1
	assay record -q --collector $collector -e cpu-clock -F 999 -p wanted -- sh ./all
	assay report --csv --by application | cut -d , -f 1 | sort
done
./other &
assay record -q -e cpu-clock -F 999 -p other -d 1
kill $!
assay report --csv --by application | cut -d , -f 1
assay record -p 1,,2 2>&1 | head -1
