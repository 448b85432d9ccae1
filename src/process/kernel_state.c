/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/kernel_state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/small_file.h"

#define CHUNK_BYTES 4096
#define MODULES_MAX_BYTES (1u << 20)
#define IDS_MAX 65536

/* Adds a file's first @most_bytes, rounded up to whole chunks, to the hash *@state. */
static int add_file(const char *path, size_t most_bytes, uint64_t *state)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[CHUNK_BYTES];
	size_t taken = 0;

	if (fd < 0)
		return -errno;
	while (taken < most_bytes) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		*state = digest_pair(*state, digest_bytes(chunk, (size_t)n));
		taken += (size_t)n;
	}
	return 0;
}

static int add_modules(uint64_t *state)
{
	int rc = add_file("/proc/modules", MODULES_MAX_BYTES, state);

	return rc == -ENOENT ? 0 : rc;	/* -ENOENT: a kernel without modules */
}

/*
 * Adds the ids of all BPF objects of one kind to the hash *@state. @next is the bpf(2) command that
 * lists the objects, such as BPF_PROG_GET_NEXT_ID.
 */
static int add_ids(enum bpf_cmd next, uint64_t *state)
{
	union bpf_attr attr = { 0 };

	for (int i = 0; i < IDS_MAX; i++) {
		if (syscall(SYS_bpf, next, &attr, sizeof(attr)) < 0)
			return errno == ENOENT ? 0 : -errno;
		*state = digest_pair(*state, attr.next_id);
		attr = (union bpf_attr){ .start_id = attr.next_id };
	}
	return -E2BIG;
}

int kernel_state(uint64_t *ret_state)
{
	uint64_t state = 0;
	int rc = add_file("/proc/sys/kernel/random/boot_id", CHUNK_BYTES, &state);

	if (rc < 0)
		return rc;
	rc = add_file("/proc/kallsyms", CHUNK_BYTES, &state);
	if (rc < 0)
		return rc;
	rc = add_modules(&state);
	if (rc < 0)
		return rc;
	rc = add_ids(BPF_PROG_GET_NEXT_ID, &state);
	if (rc < 0)
		return rc;
	rc = add_ids(BPF_LINK_GET_NEXT_ID, &state);
	if (rc < 0)
		return rc;
	*ret_state = state;
	return 0;
}
