/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/bpf_explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LOG_BYTES (256u * 1024)

/* Returns the last line of the verifier's log. Lines with statistics are skipped. */
static const char *last_words(char *log)
{
	char *line = strrchr(log, '\n');

	while (line) {
		if (line[1] != '\0' && strncmp(line + 1, "processed ", 10) != 0)
			return line + 1;
		*line = '\0';
		line = strrchr(log, '\n');
	}
	return log;
}

static int explain(struct err *err, const char *what, int code, char *log)
{
	/*
	 * If the log is empty, a privilege is missing. The verifier can return EACCES, too, but
	 * then it writes the reason to the log.
	 */
	if ((code == -EPERM || code == -EACCES) && !log[0])
		return err_set(err, -EPERM, "%s needs root, or CAP_BPF and CAP_PERFMON", what);
	if (code == -ENOSYS)
		return err_set(err, -EOPNOTSUPP, "%s needs CONFIG_BPF_SYSCALL in the kernel", what);
	if (access(KERNEL_BTF, R_OK) < 0)
		return err_set(err, -EOPNOTSUPP, "%s needs %s (CONFIG_DEBUG_INFO_BTF)", what,
			       KERNEL_BTF);
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 0)
		return err_set(err, -EOPNOTSUPP, "%s needs bpf_loop(), which is in Linux 5.17",
			       what);
	if (code == -ENOMEM || code == -E2BIG)
		return err_sys(err, -ENOMEM, "%s: not enough memory in the kernel", what);
	return err_set(err, -EOPNOTSUPP, "%s: the kernel refused to load the BPF program: %s", what,
		       log[0] ? last_words(log) : strerror(-code));
}

int bpf_load_explained(const char *what, bpf_load_fn load, void *context, struct err *err)
{
	_cleanup_free_ char *log = calloc(1, LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, options, .kernel_log_buf = log,
		    .kernel_log_size = LOG_BYTES);
	struct err said = { 0 };
	libbpf_print_fn_t print;
	int code;

	if (!log)
		return err_sys(err, -ENOMEM, "%s", what);
	print = libbpf_set_print(NULL);
	code = load(context, &options, &said);
	(void)libbpf_set_print(print);
	if (code < 0 && said.code)
		return err_set(err, code, "%s", said.text);
	return code < 0 ? explain(err, what, code, log) : 0;
}
