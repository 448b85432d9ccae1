/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch/client.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd_message.h"
#include "fetch/section_file.h"

#define NOTE_MAX_BYTES 4096
#define SOCKET_FD 3
#define CACHE_FD 4
#define MEMORY_MAX_BYTES (UINT64_C(1) << 30)

struct library {
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_find_section) find_section;
	__typeof__(&debuginfod_find_debuginfo) find_debuginfo;
	__typeof__(&debuginfod_set_progressfn) set_progressfn;
	__typeof__(&debuginfod_set_user_data) set_user_data;
	__typeof__(&debuginfod_get_url) get_url;
};

struct talk {
	const struct client_request *request;
	struct library library;
	debuginfod_client *client;
	int socket;
	uint64_t size_bytes;		/* total size of the files fetched so far */
	bool is_abandoned;		/* the parent has closed the socket */
	struct section_part parts[SECTION_FILE_PARTS_MAX];
	size_t part_count;
};

/*
 * The sections to fetch, in this order. If one of the first two sections is missing, the others are
 * not fetched.
 */
static const char *const wanted_sections[] = {
	SECTION_FILE_NOTE,    ".debug_info",	    ".debug_abbrev",	 ".debug_line",
	".debug_str",	      ".debug_line_str",    ".debug_ranges",	 ".debug_rnglists",
	".debug_addr",	      ".debug_str_offsets", ".gnu_debugaltlink", SECTION_FILE_SYMBOLS,
	SECTION_FILE_STRINGS,
};

_Static_assert(sizeof(wanted_sections) / sizeof(wanted_sections[0]) <= SECTION_FILE_PARTS_MAX,
	       "they fit into one file");

/* ---- messages ---- */

/*
 * Sends a message. If @flags contains MSG_DONTWAIT and the buffer of the socket is full, drops the
 * message. Returns false if the parent has closed the socket.
 */
static bool send_message(const struct talk *talk, const struct client_message *message, int fd,
			 int flags)
{
	int rc = fd_message_send(talk->socket, message, sizeof(*message), &fd, fd < 0 ? 0 : 1,
				 flags);

	return rc == 0 || rc == -EAGAIN;
}

static _Noreturn void end(const struct talk *talk, int rc, const struct err *err)
{
	struct client_message message = { .kind = CLIENT_FAILED, .code = rc };

	memcpy(message.text, err->text, sizeof(message.text));
	if (rc >= 0) {
		message.kind = CLIENT_FILE;
		message.code = 0;
		message.size_bytes = message.of_bytes = talk->size_bytes;
	}
	(void)send_message(talk, &message, rc, 0);
	_exit(0);
}

/* ---- dropping privileges ---- */

static void keep_fds(int socket, int cache)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int high_socket = fcntl(socket, F_DUPFD_CLOEXEC, CACHE_FD + 1);
	int high_cache = fcntl(cache, F_DUPFD_CLOEXEC, CACHE_FD + 1);

	for (int fd = 0; fd <= 2; fd++)
		(void)dup2(null_fd, fd);
	if (dup2(high_socket, SOCKET_FD) < 0 || dup2(high_cache, CACHE_FD) < 0 ||
	    close_range(CACHE_FD + 1, ~0u, 0) < 0)
		_exit(1);
	/*
	 * Unlike chdir(), fchdir() works even if the cache's path now leads elsewhere, or if this
	 * user may not search the parent directories.
	 */
	if (fchdir(CACHE_FD) < 0)
		_exit(1);
}

/*
 * Gives up all privileges. Even without capabilities, a process can write files that its user owns,
 * so root first switches to another user. The death signal (PR_SET_PDEATHSIG) is set last, because
 * changing ids clears it.
 */
static void drop_privileges(const struct client_request *request, int parent)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	uid_t uid = request->uid;

	if (uid != geteuid() && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
				 setresuid(uid, uid, uid) < 0))
		_exit(1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_capset, &header, none) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(1);
}

static void limit(int which, uint64_t value)
{
	struct rlimit now, wanted = { .rlim_cur = value, .rlim_max = value };

	if (getrlimit((__rlimit_resource_t)which, &now) == 0 && now.rlim_max < wanted.rlim_max)
		wanted = (struct rlimit){ now.rlim_max, now.rlim_max };
	if (setrlimit((__rlimit_resource_t)which, &wanted) < 0)
		_exit(1);
}

/*
 * Returns the size of all current mappings. They are inherited from the parent and cannot be
 * reduced, so the memory limit is set to this size plus the allowed amount.
 */
static uint64_t address_space_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;
	bool is_read = file && fscanf(file, "%llu", &pages) == 1;

	if (file)
		(void)fclose(file);
	if (!is_read)
		_exit(1);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_limits(const struct fetch_options *options)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, options->file_max_bytes + CLIENT_SLACK_BYTES);
	limit(RLIMIT_AS, address_space_bytes() + MEMORY_MAX_BYTES);
	limit(RLIMIT_CPU, options->image_seconds);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	/* on Ctrl-C in the terminal, the parent decides whether to stop */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Sets an environment variable to a number. The library reads its limits from the environment. The
 * library's size limit applies to the size that a server announces. If a server announces no size,
 * RLIMIT_FSIZE stops the download.
 */
static void set_number(const char *name, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	(void)setenv(name, text, 1);
}

static void set_environment(const struct fetch_options *options)
{
	(void)setenv(DEBUGINFOD_CACHE_PATH_ENV_VAR, ".", 1);
	(void)setenv(DEBUGINFOD_URLS_ENV_VAR, options->urls, 1);
	(void)unsetenv(DEBUGINFOD_PROGRESS_ENV_VAR);
	(void)unsetenv(DEBUGINFOD_VERBOSE_ENV_VAR);
	set_number(DEBUGINFOD_TIMEOUT_ENV_VAR, options->idle_seconds);
	set_number(DEBUGINFOD_MAXTIME_ENV_VAR, options->image_seconds);
	set_number(DEBUGINFOD_MAXSIZE_ENV_VAR, options->file_max_bytes);
}

/* ---- the library ---- */

static int load_library(struct library *library, struct err *err)
{
	/* RTLD_GLOBAL, so that dlsym() in show_progress() finds the library's function. */
	void *handle = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_GLOBAL);

	if (!handle)
		return err_set(err, -ELIBACC, "cannot load the library for debuginfod servers: %s",
			       dlerror());
	*(void **)&library->begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library->find_section = dlsym(handle, "debuginfod_find_section");
	*(void **)&library->find_debuginfo = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&library->set_progressfn = dlsym(handle, "debuginfod_set_progressfn");
	*(void **)&library->set_user_data = dlsym(handle, "debuginfod_set_user_data");
	*(void **)&library->get_url = dlsym(handle, "debuginfod_get_url");
	if (!library->begin || !library->find_section || !library->find_debuginfo ||
	    !library->set_progressfn || !library->set_user_data || !library->get_url)
		return err_set(err, -ELIBACC, "%s is older than 0.188", DEBUGINFOD_SONAME);
	return 0;
}

/*
 * Callback for the library. @size_bytes is a number of bytes only if @of_bytes is positive. If this
 * function returns a non-zero value, the library aborts the fetch and removes its incomplete file.
 */
static int show_progress(debuginfod_client *client, long size_bytes, long of_bytes)
{
	__typeof__(&debuginfod_get_user_data) get_user_data;
	struct client_message message = { .kind = CLIENT_PROGRESS };
	struct talk *talk;

	*(void **)&get_user_data = dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
	talk = get_user_data(client);
	message.size_bytes = talk->size_bytes;
	if (of_bytes > 0 && size_bytes >= 0) {
		message.size_bytes += (uint64_t)size_bytes;
		message.of_bytes = talk->size_bytes + (uint64_t)of_bytes;
	}
	talk->is_abandoned = !send_message(talk, &message, -1, MSG_DONTWAIT);
	return talk->is_abandoned;
}

static const char *url_of(const struct talk *talk)
{
	const char *url = talk->library.get_url(talk->client);

	return url ? url : talk->request->options->urls;
}

static int too_large(const struct talk *talk, struct err *err)
{
	return err_set(err, -EFBIG, "%s: more than %llu MB of debug information", url_of(talk),
		       (unsigned long long)(talk->request->options->file_max_bytes >> 20));
}

static void forget_miss(const char *id, const char *what, const char *section)
{
	char path[128];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s%s", id, what, section);
	if (stat(path, &st) == 0 && st.st_size == 0)
		(void)unlink(path);
}

/*
 * Removes wrong entries from the cache. If the callback aborts a fetch, the library concludes that
 * no server has the file. It records this as an empty file in the cache, and does not ask the
 * servers for the file again for ten minutes.
 */
static void forget_misses(const struct client_request *request)
{
	char id[2 * IMAGE_BUILD_ID_MAX + 1];

	for (size_t i = 0; i < request->build_id_size; i++)
		(void)snprintf(id + 2 * i, 3, "%02x", request->build_id[i]);
	forget_miss(id, "debuginfo", "");
	for (size_t i = 0; i < sizeof(wanted_sections) / sizeof(wanted_sections[0]); i++)
		forget_miss(id, "section-", wanted_sections[i]);
}

/*
 * Checks @rc, which is the result of the library: a descriptor or an error. Adds the size of the
 * file to the total. Returns the descriptor or an error. If the parent has closed the socket and
 * the fetch failed, ends the process. Messages use @what as the name of the file or section.
 */
static int check_found(struct talk *talk, int rc, const char *what, struct err *err)
{
	struct stat st;

	if (rc < 0 && talk->is_abandoned) {
		forget_misses(talk->request);
		_exit(0);
	}
	if (rc == -EFBIG)
		return too_large(talk, err);
	if (rc == -ENOENT)
		return err_set(err, rc, "%s: the server has no %s", url_of(talk), what);
	if (rc < 0)
		return err_sys(err, rc, "%s: %s", url_of(talk), what);
	if (fstat(rc, &st) < 0 || !S_ISREG(st.st_mode)) {
		(void)close(rc);
		return err_set(err, -EIO, "%s: the entry in the cache is not a regular file", what);
	}
	if ((uint64_t)st.st_size > talk->request->options->file_max_bytes - talk->size_bytes) {
		(void)close(rc);
		return too_large(talk, err);
	}
	talk->size_bytes += (uint64_t)st.st_size;
	return rc;
}

/* ---- requests ---- */

static int find_whole(struct talk *talk, struct err *err)
{
	const struct client_request *request = talk->request;
	_cleanup_free_ char *path = NULL;
	int rc = talk->library.find_debuginfo(talk->client, request->build_id,
					      (int)request->build_id_size, &path);

	return check_found(talk, rc, "debug file", err);
}

static int find_section(struct talk *talk, const char *name, struct err *err)
{
	const struct client_request *request = talk->request;
	_cleanup_free_ char *path = NULL;
	int rc = talk->library.find_section(talk->client, request->build_id,
					    (int)request->build_id_size, name, &path);

	rc = check_found(talk, rc, name, err);
	if (rc < 0)
		return rc;
	talk->parts[talk->part_count++] = (struct section_part){ name, rc };
	return 0;
}

/*
 * Returns true if the server sent the whole file although a section was requested. Servers older
 * than 0.188 do not know sections; the library then fetches the whole file and extracts the
 * section.
 */
static bool came_whole(const struct talk *talk)
{
	static const char ending[] = "/debuginfo";
	const char *url = talk->library.get_url(talk->client);
	size_t length = url ? strlen(url) : 0;

	return length > strlen(ending) && strcmp(url + length - strlen(ending), ending) == 0;
}

static int check_note(const struct talk *talk, struct err *err)
{
	const struct client_request *request = talk->request;
	uint8_t note[NOTE_MAX_BYTES], build_id[IMAGE_BUILD_ID_MAX];
	ssize_t length = pread(talk->parts[0].fd, note, sizeof(note), 0);

	for (int swapped = 0; length > 0 && swapped <= 1; swapped++) {
		size_t size = elf_note_build_id(note, (size_t)length, swapped, build_id);

		if (size == request->build_id_size &&
		    memcmp(build_id, request->build_id, size) == 0)
			return 0;
	}
	return err_set(err, -EBADMSG, "%s: the answer does not have the requested build-id",
		       url_of(talk));
}

static int put_together(const struct talk *talk, struct err *err)
{
	char path[] = "assay-XXXXXX";
	_cleanup_close_ int fd = mkostemp(path, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "cannot create a file in %s",
			       talk->request->options->cache_path);
	(void)unlink(path);
	rc = section_file_write(talk->parts, talk->part_count, fd);
	if (rc < 0)
		return err_sys(err, rc, "cannot combine the fetched sections into a file in %s",
			       talk->request->options->cache_path);
	return TAKE_FD(fd);
}

static int find(struct talk *talk, struct err *err)
{
	size_t count = sizeof(wanted_sections) / sizeof(wanted_sections[0]);
	int rc = find_section(talk, wanted_sections[0], err);

	if (rc == -ENOENT || (rc == 0 && came_whole(talk))) {
		talk->size_bytes = 0;
		return find_whole(talk, err);
	}
	if (rc < 0)
		return rc;
	rc = check_note(talk, err);
	if (rc < 0)
		return rc;
	for (size_t i = 1; i < count; i++) {
		rc = find_section(talk, wanted_sections[i], err);
		if (rc == -ENOENT && i > 1)
			continue;
		if (rc < 0)
			return rc;
	}
	return put_together(talk, err);
}

_Noreturn void client_run(const struct client_request *request, int socket, int parent)
{
	struct talk talk = { .request = request, .socket = SOCKET_FD };
	struct err err = { 0 };
	int rc;

	reset_signals();
	keep_fds(socket, request->cache_fd);
	set_limits(request->options);
	drop_privileges(request, parent);
	set_environment(request->options);
	rc = load_library(&talk.library, &err);
	if (rc < 0)
		end(&talk, rc, &err);
	talk.client = talk.library.begin();
	if (!talk.client)
		end(&talk, err_sys(&err, -ENOMEM, "debuginfod"), &err);
	talk.library.set_user_data(talk.client, &talk);
	talk.library.set_progressfn(talk.client, show_progress);
	rc = find(&talk, &err);
	end(&talk, rc, &err);
}
