/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/program_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* How an interpreter finds its script among its arguments. */
struct interpreter {
	const char *name;
	/* one-letter options that take an argument: the rest of the word or the next word */
	const char *with_argument;
	/* one-letter options whose argument is the rest of the word, if any */
	const char *with_rest;
	/* one-letter options after which there is no script, such as -c CODE */
	const char *without_script;
	/*
	 * names of other options, without dashes and each followed by a blank: those whose argument
	 * is the next word
	 */
	const char *long_with_argument;
	/* those after which there is no script */
	const char *long_without_script;
	/* names of options, long or short, whose argument is shown in place of a script */
	const char *shown;
	/* options have one dash and many letters, as those of java */
	bool long_dash;
};

static const struct interpreter interpreters[] = {
	{ .name = "python",
	  .with_argument = "WXQ",
	  .without_script = "c",
	  .long_with_argument = "check-hash-based-pycs ",
	  .shown = "m " },
	{ .name = "pypy", .with_argument = "WX", .without_script = "c", .shown = "m " },
	{ .name = "perl", .with_argument = "I", .with_rest = "0CDFMilmx", .without_script = "eE" },
	{ .name = "ruby",
	  .with_argument = "rICE",
	  .with_rest = "0FKTWixl",
	  .without_script = "e",
	  .long_with_argument = "encoding external-encoding internal-encoding " },
	{ .name = "php",
	  .with_argument = "cdz",
	  .without_script = "rBRES",
	  .long_without_script = "run process-begin process-code process-end server ",
	  .shown = "f file " },
	{ .name = "node",
	  .with_argument = "rC",
	  .without_script = "ep",
	  .long_with_argument = "require import loader experimental-loader conditions "
				"env-file title icu-data-dir openssl-config "
				"max-http-header-size input-type ",
	  .long_without_script = "eval print " },
	{ .name = "java",
	  .long_with_argument = "cp classpath class-path p module-path add-modules "
				"add-exports add-opens add-reads patch-module "
				"limit-modules upgrade-module-path source "
				"enable-native-access ",
	  .shown = "jar m module ",
	  .long_dash = true },
	{ .name = "bash",
	  .with_argument = "oO",
	  .without_script = "cs",
	  .long_with_argument = "rcfile init-file " },
	{ .name = "sh", .with_argument = "o", .without_script = "cs" },
	{ .name = "dash", .with_argument = "o", .without_script = "cs" },
	{ .name = "ksh", .with_argument = "oT", .without_script = "cs" },
	{ .name = "zsh", .with_argument = "o", .without_script = "cs" },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Accepts a version after the name: python3.11, perl5.36.0, nodejs. */
static const struct interpreter *interpreter_of(const char *path)
{
	const char *name = base_name(path);

	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
		size_t length = strlen(interpreters[i].name);
		const char *rest = name + length;

		if (strncmp(name, interpreters[i].name, length) != 0)
			continue;
		if (strcmp(rest, "js") == 0 || rest[strspn(rest, "0123456789.-")] == '\0')
			return &interpreters[i];
	}
	return NULL;
}

bool program_is_interpreter(const char *path)
{
	return interpreter_of(path) != NULL;
}

/* ---- words ---- */

/* Returns the next argument, or NULL. An argument without a NUL is not whole and is left out. */
static const char *next_word(struct program_arguments *left)
{
	const char *word = left->text, *end = memchr(word, '\0', left->size_bytes);

	if (!end)
		return NULL;
	left->size_bytes -= (size_t)(end - word) + 1;
	left->text = end + 1;
	return word;
}

static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at && *at; at += strcspn(at, " ") + 1)
		if (strncmp(at, word, length) == 0 && at[length] == ' ')
			return true;
	return false;
}

static bool letters_have(const char *letters, char letter)
{
	return letters && letter && strchr(letters, letter);
}

/* ---- options ---- */

/* What follows an option. */
enum option {
	OPTION_ALONE,		/* nothing that belongs to it */
	OPTION_ARGUMENT,	/* its argument is the next word */
	OPTION_SHOWN,		/* the next word is shown in place of a script */
	OPTION_LAST,		/* no script follows */
};

static enum option long_option(const struct interpreter *interpreter, const char *word)
{
	word += strspn(word, "-");
	if (list_has(interpreter->shown, word))
		return OPTION_SHOWN;
	if (list_has(interpreter->long_without_script, word))
		return OPTION_LAST;
	return list_has(interpreter->long_with_argument, word) ? OPTION_ARGUMENT : OPTION_ALONE;
}

/* Several letters may share a word, as in "-uW ignore". */
static enum option short_options(const struct interpreter *interpreter, const char *word)
{
	for (const char *at = word + 1; *at; at++) {
		const char letter[] = { *at, '\0' };

		if (list_has(interpreter->shown, letter))
			return at[1] ? OPTION_LAST : OPTION_SHOWN;
		if (letters_have(interpreter->without_script, *at))
			return OPTION_LAST;
		if (letters_have(interpreter->with_argument, *at))
			return at[1] ? OPTION_ALONE : OPTION_ARGUMENT;
		if (letters_have(interpreter->with_rest, *at))
			return OPTION_ALONE;
	}
	return OPTION_ALONE;
}

static bool is_option(const char *word)
{
	return (word[0] == '-' || word[0] == '+') && word[1];
}

static enum option option_of(const struct interpreter *interpreter, const char *word)
{
	if (interpreter->long_dash || word[1] == '-')
		return long_option(interpreter, word);
	return short_options(interpreter, word);
}

/* ---- names ---- */

struct script {
	const char *option;	/* shown in front of the script; "" if there is none */
	const char *name;	/* NULL: there is no script */
};

static struct script find_script(const struct interpreter *interpreter,
				 struct program_arguments left)
{
	struct script none = { "", NULL };
	const char *word;

	(void)next_word(&left);
	while ((word = next_word(&left))) {
		enum option option;

		if (strcmp(word, "--") == 0)
			return (struct script){ "", next_word(&left) };
		if (strcmp(word, "-") == 0)
			return none;
		/* java reads more arguments from @file, which may name the class */
		if (word[0] == '@' && interpreter->long_dash)
			return none;
		if (!is_option(word))
			return (struct script){ "", word };
		option = option_of(interpreter, word);
		if (option == OPTION_LAST)
			return none;
		if (option == OPTION_SHOWN)
			return (struct script){ word, next_word(&left) };
		if (option == OPTION_ARGUMENT && !next_word(&left))
			return none;
	}
	return none;
}

/* In a group of letters, only the last one has the argument: -um becomes -m. */
static const char *shown_option(const char *option)
{
	static const char *const module = "-m", *const file = "-f";
	size_t length = strlen(option);

	if (length > 2 && option[0] == '-' && option[1] != '-' && option[length - 1] == 'm')
		return module;
	if (length > 2 && option[0] == '-' && option[1] != '-' && option[length - 1] == 'f')
		return file;
	return option;
}

void program_name_of(const char *called, const struct program_arguments *arguments,
		     char ret_name[static PROGRAM_NAME_MAX])
{
	const struct interpreter *interpreter = interpreter_of(called);
	struct script script = { "", NULL };

	if (interpreter)
		script = find_script(interpreter, *arguments);
	if (!script.name || !script.name[0])
		(void)snprintf(ret_name, PROGRAM_NAME_MAX, "%s", base_name(called));
	else if (script.option[0])
		(void)snprintf(ret_name, PROGRAM_NAME_MAX, "%s %s %s", base_name(called),
			       shown_option(script.option), base_name(script.name));
	else
		(void)snprintf(ret_name, PROGRAM_NAME_MAX, "%s %s", base_name(called),
			       base_name(script.name));
}

bool program_has_name(const char *name, const char *called, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(name);

	return strcmp(slash ? slash + 1 : path, name) == 0 ||
	       (strncmp(called, name, length) == 0 &&
		(called[length] == '\0' || called[length] == ' '));
}
