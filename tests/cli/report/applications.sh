# Programs are named as they were started, and interpreters after their scripts.
cat >work.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	volatile unsigned long sink = 0;
	if (argc > 1)
		execl(argv[1], argv[2], (char *)NULL);
	for (unsigned long i = 0; i < 600000000; i++)
		sink += i;
	return 0;
}
END
gcc -O1 -o tool work.c
ln -s tool server
sleep 0.1	# the link's access time must become later than its change (program_read.c)
ln tool second
cat >app.py <<'END'
import time
end = time.process_time() + 0.6
while time.process_time() < end:
    pass
END
cat >all <<'END'
./server
./second
./tool "$PWD/tool" sshd
/usr/bin/python3 -u app.py --password secret
/usr/bin/python3 -c 'exec(open("app.py").read())' secret
sh run.sh
END
cat >run.sh <<'END'
i=0
while [ $i -lt 1000000 ]; do i=$((i + 1)); done
END
assay record -q -a -e cpu-clock -F 999 -- sh ./all
assay report --csv --by application | cut -d , -f 1 | grep -xE 'server|second|tool|sshd|python3?( app.py)?|sh run.sh' | sort
grep -c secret profile.assay || true
