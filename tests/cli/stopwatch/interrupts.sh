# The time of interrupts in calls. What is sent to ourselves is received in a softirq inside the call.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cat >sends.c <<'END'
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void)
{
	int from = socket(AF_INET, SOCK_DGRAM, 0), to = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(addr);
	char bytes[1000] = { 0 };
	if (bind(to, (void *)&addr, size) || getsockname(to, (void *)&addr, &size)) return 1;
	for (int i = 0; i < 50000; i++) {
		if (sendto(from, bytes, sizeof(bytes), 0, (void *)&addr, size) != sizeof(bytes)) return 1;
		if (read(to, bytes, sizeof(bytes)) != sizeof(bytes)) return 1;
	}
	printf("%d\n", getpid());
	return 0;
}
END
cc -O1 -o sends sends.c || { echo "no compiler"; exit 77; }
./sends >tgid || { echo "nothing can be sent to 127.0.0.1"; exit 77; }
assay record -q -a -o recorded.assay -- \
	assay stopwatch -q --csv -o spans.csv --interrupts ./sends:main syscall:sendto -- ./sends >tgid || exit
recorded=$(assay sql recorded.assay "SELECT coalesce(sum(ns), 0) FROM interrupt_victim
	WHERE tgid = $(cat tgid)" | tail -n 1)
# Columns: 2 function, 3 calls, 4 total, 17 interrupts. All of the process are in main.
head -n 1 spans.csv | cut -d, -f17-
awk -F, -v recorded="$recorded" '
	$2 == "main" { whole = $17; print $3, ($17 < $4), ($17 > recorded * 0.8), ($17 < recorded * 1.25) }
	$2 == "sendto" { print $3, ($17 < $4), ($17 > $4 * 0.02); part = $17 }
	END { print (part <= whole) }' spans.csv | LC_ALL=C sort
assay stopwatch -q --json --interrupts --from syscall:sendto --to syscall:read%return -- ./sends 2>&1 |
	grep -c -e interrupts_ns -e '"calls": 50000,'
