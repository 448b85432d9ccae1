/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Not a workload: runs a command as another user who has some capabilities.
 *
 *	as_user UID MASK COMMAND [ARG...]
 *
 * MASK has a bit for each capability, in hexadecimal, as in /proc/PID/status.
 */
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int keep_capabilities(unsigned long long mask)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		data[i].effective = (__u32)(mask >> 32 * i);
		data[i].permitted = data[i].effective;
		data[i].inheritable = data[i].effective;
	}
	if (syscall(SYS_capset, &header, data) < 0)
		return -1;
	for (unsigned long capability = 0; capability < 64; capability++)
		if (mask >> capability & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	uid_t uid = argc > 3 ? (uid_t)strtoul(argv[1], NULL, 10) : 0;

	if (!uid) {
		fprintf(stderr, "usage: as_user UID MASK COMMAND [ARG...]\n");
		return 2;
	}
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 || setgroups(0, NULL) < 0 ||
	    setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0 ||
	    keep_capabilities(strtoull(argv[2], NULL, 16)) < 0) {
		perror("as_user");
		return 1;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
