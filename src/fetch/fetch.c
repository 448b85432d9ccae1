/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fd_message.h"
#include "base/vec.h"
#include "fetch/cache_clean.h"
#include "fetch/client.h"

#define TURN_MS 200	/* how often to check whether to stop waiting */
#define STOP_TURN_MS 5
#define STOP_TURNS 400
#define GRACE_SECONDS 2	/* additional time for a client to exit by itself after its time limit */
#define KEPT_FILES_MAX 64
#define CLIENT_UID 65534 /* user "nobody", under which the clients of root run */
#define DOOR "unprivileged"
#define FILE_BYTES_LIMIT (UINT64_C(1) << 62) /* sums with this limit do not overflow */

/* The result for one build-id. */
struct answer {
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	size_t build_id_size;
	int rc;			/* a descriptor, owned by this struct, or a negative errno */
};

struct fetch {
	struct fetch_options options;
	int cache_fd;
	uid_t uid;		/* user id of the clients */
	uint64_t start_ns;
	VEC(struct answer) answers;
	size_t kept_files;
	struct fetch_totals totals;
	/* error after which no server is contacted any more; code 0: none */
	struct err gave_up;
};

/* The child process that fetches one image. */
struct child {
	struct fetch *fetch;
	pid_t tgid;
	int socket;
	uint64_t end_ns;
};

/* ---- the cache ---- */

/*
 * Opens the cache directory and creates it if needed. All later accesses go through the descriptor,
 * so replacing the directory later has no effect.
 */
static int open_cache(const char *path, int *ret_fd, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "cannot create the cache directory %s", path);
	fd = open(path, O_DIRECTORY | O_CLOEXEC | O_RDONLY | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot open the cache directory %s", path);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_set(err, -EPERM,
			       "%s: another user owns this directory or can write to it, so "
			       "debug information is neither stored there nor read from there",
			       path);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Creates and opens a directory in @parent that only @uid and root can enter. */
static int open_private(int parent, const char *name, uid_t uid)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_DIRECTORY | O_CLOEXEC | O_RDONLY | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_uid != uid || st.st_gid != uid) && fchown(fd, uid, uid) < 0)
		return -errno;
	return fchmod(fd, 0700) < 0 ? -errno : TAKE_FD(fd);
}

/*
 * Opens the directory that the clients use as their cache. If assay does not run as root, the
 * clients use the cache directory itself. If assay runs as root, the clients run as nobody. Their
 * directory is then inside another directory that only root can enter, so that other processes of
 * nobody cannot reach it.
 *
 * If changing the owner fails with -EINVAL, root has no other user ids: this is a user namespace
 * with a single id. The clients then run with that id, because there is no other user to protect.
 */
static int open_client_cache(struct fetch *fetch, struct err *err)
{
	_cleanup_close_ int door = -1;
	int fd;

	fetch->uid = geteuid();
	if (fetch->uid != 0)
		return 0;
	door = open_private(fetch->cache_fd, DOOR, 0);
	fd = door < 0 ? door : open_private(door, "files", CLIENT_UID);
	if (fd == -EINVAL)
		return 0;
	if (fd < 0)
		return err_sys(err, fd,
			       "cannot create a directory for unprivileged clients in the cache %s",
			       fetch->options.cache_path);
	(void)close(fetch->cache_fd);
	fetch->cache_fd = fd;
	fetch->uid = CLIENT_UID;
	return 0;
}

static int open_caches(struct fetch *fetch, struct err *err)
{
	int rc = open_cache(fetch->options.cache_path, &fetch->cache_fd, err);

	return rc < 0 ? rc : open_client_cache(fetch, err);
}

int fetch_new(const struct fetch_options *options, struct fetch **ret_fetch, struct err *err)
{
	struct fetch *fetch = calloc(1, sizeof(*fetch));
	int rc;

	if (!fetch)
		return err_sys(err, -ENOMEM, "debuginfod");
	fetch->options = *options;
	if (fetch->options.file_max_bytes > FILE_BYTES_LIMIT)
		fetch->options.file_max_bytes = FILE_BYTES_LIMIT;
	fetch->start_ns = clock_monotonic_ns();
	fetch->cache_fd = -1;
	rc = open_caches(fetch, err);
	if (rc < 0) {
		cleanup_close(&fetch->cache_fd);
		free(fetch);
		return rc;
	}
	cache_clean(fetch->cache_fd);
	*ret_fetch = fetch;
	return 0;
}

void fetch_free(struct fetch *fetch)
{
	if (!fetch)
		return;
	for (size_t i = 0; i < fetch->answers.count; i++)
		cleanup_close(&fetch->answers.at[i].rc);
	vec_free(&fetch->answers);
	(void)close(fetch->cache_fd);
	free(fetch);
}

struct fetch_totals fetch_totals(const struct fetch *fetch)
{
	return fetch->totals;
}

/* ---- the child ---- */

static int start(struct child *child, const struct client_request *request, struct err *err)
{
	int sockets[2], parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return err_sys(err, -errno,
			       "cannot create a socket for the debuginfod client process");
	child->tgid = fork();
	if (child->tgid == 0)
		client_run(request, sockets[1], parent);
	(void)close(sockets[1]);
	child->socket = sockets[0];
	if (child->tgid > 0)
		return 0;
	(void)close(sockets[0]);
	return err_sys(err, -EAGAIN, "cannot start the debuginfod client process");
}

/*
 * Ends the child. Closes the socket, which makes the child remove incomplete files from the cache
 * and exit. If the child does not exit, kills it.
 */
static void stop(const struct child *child)
{
	const struct timespec turn = { .tv_nsec = (long)(STOP_TURN_MS * NS_PER_MSEC) };

	(void)close(child->socket);
	for (int i = 0; i < STOP_TURNS; i++) {
		if (waitpid(child->tgid, NULL, WNOHANG) == child->tgid)
			return;
		(void)nanosleep(&turn, NULL);
	}
	(void)kill(child->tgid, SIGKILL);
	while (waitpid(child->tgid, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * Receives a message and NUL-terminates its text. Returns 1 if the message has the right size, 0 if
 * its size is wrong or the child has exited, or a negative errno.
 */
static int receive(const struct child *child, struct client_message *message, int *ret_fd)
{
	ssize_t length = fd_message_receive(child->socket, message, sizeof(*message), ret_fd, 1,
					    MSG_DONTWAIT);

	if (length < 0)
		return (int)length;
	message->text[sizeof(message->text) - 1] = '\0';
	return length == sizeof(*message);
}

/*
 * Returns 0 if the caller may continue to wait for the child, or the error with which the wait must
 * end.
 */
static int may_wait(const struct child *child, struct err *err)
{
	const struct fetch_options *options = &child->fetch->options;

	if (options->is_stopped && options->is_stopped(options->context))
		return err_set(err, -EINTR, "stopped");
	if (clock_monotonic_ns() >= child->end_ns)
		return err_set(err, -ETIME, "%s: no answer within the time limit", options->urls);
	return 0;
}

/* Returns the result of the child's last message: a descriptor or a negative errno. */
static int conclude(const struct client_message *message, int fd, struct err *err)
{
	if (message->kind == CLIENT_FILE && fd >= 0)
		return fd;
	cleanup_close(&fd);
	if (message->kind != CLIENT_FAILED || message->code >= 0 || message->code < -4095)
		return err_set(err, -EIO, "the debuginfod client process sent an invalid message");
	return err_set(err, message->code, "%s", message->text);
}

static int listen_to(const struct child *child, struct err *err)
{
	const struct fetch_options *options = &child->fetch->options;
	struct pollfd ready = { .fd = child->socket, .events = POLLIN };
	struct client_message message;
	int rc, fd;

	for (;;) {
		rc = may_wait(child, err);
		if (rc < 0)
			return rc;
		if (poll(&ready, 1, TURN_MS) <= 0)
			/* time is up, or a signal arrived; may_wait() checks whether to stop */
			continue;
		rc = receive(child, &message, &fd);
		if (rc == -EAGAIN || rc == -EINTR)
			continue;
		if (rc <= 0) {
			cleanup_close(&fd);
			return err_set(err, -EIO, "the debuginfod client process crashed");
		}
		if (message.kind != CLIENT_PROGRESS)
			break;
		cleanup_close(&fd);
		if (options->progress)
			options->progress(options->context, message.size_bytes, message.of_bytes);
	}
	rc = conclude(&message, fd, err);
	if (rc >= 0)
		child->fetch->totals.size_bytes += message.size_bytes;
	return rc;
}

/* ---- requests ---- */

static uint64_t end_of_turn(const struct fetch *fetch)
{
	const struct fetch_options *options = &fetch->options;
	uint64_t end_ns = clock_monotonic_ns() +
			  (options->image_seconds + GRACE_SECONDS) * NS_PER_SEC;
	uint64_t all_ns = fetch->start_ns + options->total_seconds * NS_PER_SEC;

	return options->total_seconds && all_ns < end_ns ? all_ns : end_ns;
}

/*
 * Checks that @fd is a regular file of an allowed size. Does not check the content, which the
 * caller of fetch_debug_file() does.
 */
static int check_file(const struct fetch *fetch, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size <= fetch->options.file_max_bytes + CLIENT_SLACK_BYTES)
		return fd;
	(void)close(fd);
	return err_set(err, -EIO,
		       "the debuginfod client process sent something other than a "
		       "regular file, or sent a file that is too large");
}

static int ask(struct fetch *fetch, const uint8_t *build_id, size_t size, struct err *err)
{
	struct client_request request = {
		.options = &fetch->options,
		.cache_fd = fetch->cache_fd,
		.uid = fetch->uid,
		.build_id_size = size,
	};
	struct child child = { .fetch = fetch, .end_ns = end_of_turn(fetch) };
	int rc = may_wait(&child, err);

	if (rc < 0)
		return rc;
	memcpy(request.build_id, build_id, size);
	rc = start(&child, &request, err);
	if (rc < 0)
		return rc;
	rc = listen_to(&child, err);
	stop(&child);
	return rc < 0 ? rc : check_file(fetch, rc, err);
}

static bool is_about_the_image(int rc)
{
	return rc >= 0 || rc == -ENOENT || rc == -EFBIG || rc == -EBADMSG || rc == -EIO;
}

static const struct answer *find_answer(const struct fetch *fetch, const uint8_t *build_id,
					size_t size)
{
	for (size_t i = 0; i < fetch->answers.count; i++) {
		const struct answer *answer = &fetch->answers.at[i];

		if (answer->build_id_size == size && memcmp(answer->build_id, build_id, size) == 0)
			return answer;
	}
	return NULL;
}

/*
 * Stores the result for a build-id, because several images can share one debug file. If
 * KEPT_FILES_MAX descriptors are already stored, a further descriptor is not stored. If its
 * build-id is requested again, a new client finds the file in its cache.
 */
static int keep(struct fetch *fetch, const uint8_t *build_id, size_t size, int rc)
{
	struct answer *answer;

	if (rc >= 0 && fetch->kept_files == KEPT_FILES_MAX)
		return rc;
	answer = vec_push(&fetch->answers);
	if (!answer) {
		cleanup_close(&rc);
		return -ENOMEM;
	}
	memcpy(answer->build_id, build_id, size);
	answer->build_id_size = size;
	answer->rc = rc;
	fetch->kept_files += rc >= 0;
	return rc < 0 ? rc : fcntl(rc, F_DUPFD_CLOEXEC, 0);
}

int fetch_debug_file(struct fetch *fetch, const uint8_t *build_id, size_t size, struct err *err)
{
	const struct answer *known;
	struct err why = { 0 };
	int rc;

	if (size < 2 || size > IMAGE_BUILD_ID_MAX)
		return err_set(err, -ENOENT,
			       "the file has no valid build-id, so its debug file cannot be "
			       "requested from a server");
	known = find_answer(fetch, build_id, size);
	if (known && known->rc >= 0)
		return fcntl(known->rc, F_DUPFD_CLOEXEC, 0);
	if (known)
		return err_set(err, known->rc, "an earlier request for the same debug file failed");
	if (fetch->gave_up.code) {
		fetch->totals.not_asked++;
		return err_set(err, fetch->gave_up.code, "%s", fetch->gave_up.text);
	}
	rc = ask(fetch, build_id, size, &why);
	fetch->totals.fetched += rc >= 0;
	fetch->totals.unknown += rc == -ENOENT;
	fetch->totals.failed += rc < 0 && rc != -ENOENT;
	if (!is_about_the_image(rc))
		fetch->gave_up = why;
	if (rc < 0)
		(void)err_set(err, rc, "%s", why.text);
	return keep(fetch, build_id, size, rc);
}
