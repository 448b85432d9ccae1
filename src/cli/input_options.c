/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/input_options.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/vec.h"

static const struct argp_option input_list[] = {
	{ "input", 'i', "FILE", 0, "Read this recording", 1 },
	{ 0 },
};

static const struct argp_option inputs_list[] = {
	{ "input", 'i', "FILE", 0, "Read this recording; several: read them as one", 1 },
	{ 0 },
};

/* The files that -i named. A process parses one command line, so there is one such list. */
static struct {
	VEC(const char *) paths;
	char *name;		/* for messages; NULL unless there are several */
} given;

/* state->hook has the default, so the path was given if it is not the default any more. */
static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	const char **path = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->hook = (void *)*path;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		if (*path != state->hook)
			argp_error(state, "give only one recording");
		*path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int add_input(const char *path)
{
	const char **slot = vec_push(&given.paths);
	char *before = given.name;

	if (!slot)
		return ENOMEM;
	*slot = path;
	if (given.paths.count == 1)
		return 0;
	if ((before ? asprintf(&given.name, "%s -i %s", before, path)
		    : asprintf(&given.name, "-i %s -i %s", given.paths.at[0], path)) < 0)
		return ENOMEM;
	free(before);
	return 0;
}

static error_t parse_inputs(int key, char *arg, struct argp_state *state)
{
	const char **path = state->input;
	error_t rc;

	if (key != 'i' || (*path != state->hook && !given.paths.count))
		return parse_input(key, arg, state);
	rc = add_input(arg);
	*path = given.name ? given.name : arg;
	return rc;
}

const struct argp input_argp = { .options = input_list, .parser = parse_input };
const struct argp inputs_argp = { .options = inputs_list, .parser = parse_inputs };

const char *const *input_paths(const char *path, size_t *ret_count)
{
	if (!given.name || path != given.name)
		return NULL;
	*ret_count = given.paths.count;
	return given.paths.at;
}

static bool is_same_file(const char *path, const char *output)
{
	struct stat first, second;

	return stat(output, &first) == 0 && stat(path, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool input_is_file(const char *path, const char *output)
{
	size_t count = 0;
	const char *const *paths = input_paths(path, &count);

	for (size_t i = 0; i < count; i++)
		if (is_same_file(paths[i], output))
			return true;
	return !paths && is_same_file(path, output);
}
