/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names written into texts and read back. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/name_text.h"
#include "base/utf8.h"

#define NAMES 100000
#define NAME_MAX_BYTES 24

static bool needs_separators(const char *name, const char *at)
{
	return strchr(";()[ 0123456789", *at) != NULL;
}

static char *written(const char *name, name_needs_fn needs)
{
	char *text;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	assert_non_null(out);
	name_text_write(out, name, needs);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_written(const char *name, name_needs_fn needs, const char *wanted)
{
	char *text = written(name, needs), back[64];
	size_t length;

	assert_string_equal(text, wanted);
	length = name_text_read(text, strlen(text), back);
	assert_int_equal(length, strlen(name));
	assert_memory_equal(back, name, length);
	free(text);
}

static void test_names(void **state)
{
	assert_written("plain a->b()", NULL, "plain a->b()");
	assert_written("", NULL, "");
	assert_written("", needs_separators, "\\x00");
	assert_written("a\nb\x7f", NULL, "a\\x0ab\\x7f");
	assert_written("\xff\xc3\xbc", NULL, "\\xff\xc3\xbc");
	assert_written("\xe2\x80\xaeoby\xf3\xa0\x81\x81", NULL, "\\u202eoby\\U000e0041");
	assert_written("f(1;2)", needs_separators, "f\\x28\\x31\\x3b\\x32\\x29");
}

/* Backslashes are unchanged, unless they would be read as escapes. */
static void test_backslashes(void **state)
{
	assert_written("C:\\new\\x64\\", NULL, "C:\\new\\x64\\");
	assert_written("\\\\", NULL, "\\\\");
	assert_written("\\x0a", NULL, "\\x5cx0a");
	assert_written("\\x0A", NULL, "\\x0A");
	assert_written("\\x00", NULL, "\\x5cx00");
	assert_written("a\\x00", NULL, "a\\x00");
	assert_written("\\x5cx0a", NULL, "\\x5cx5cx0a");
	assert_written("\\u202e", NULL, "\\x5cu202e");
	assert_written("\\u0041", NULL, "\\u0041");
	assert_written("\\U0000202e", NULL, "\\U0000202e");
	assert_written("\\x2\xff", NULL, "\\x2\\xff");
	assert_written("\\x", NULL, "\\x");
}

/* What other tools wrote is unchanged if it is not an escape. */
static void test_other_texts(void **state)
{
	static const char *const texts[] = {
		"\\x", "\\xg0", "\\x6",	   "\\x41",	  "\\u12",
		"\\n", "\\",	"\\ud800", "\\U00110000", "\\Uffffffff"
	};
	char name[16];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t length = name_text_read(texts[i], strlen(texts[i]), name);

		assert_int_equal(length, strlen(texts[i]));
		assert_memory_equal(name, texts[i], length);
	}
}

static void random_name(char name[static NAME_MAX_BYTES + 1])
{
	static const char alphabet[] =
		";\n\r\t ()[]<>-+#.:/\\\\\\xuU0123456789abcdefABCDEF_\xc2\x9b"
		"\xe2\x80\xae\xf3\xa0\x81\x81\xf0\x9f\x98\x80\xff\xed";
	size_t length = (size_t)random() % (NAME_MAX_BYTES + 1);

	for (size_t i = 0; i < length; i++)
		name[i] = alphabet[(size_t)random() % (sizeof(alphabet) - 1)];
	name[length] = '\0';
}

/* Returns true if the text is printable UTF-8. */
static bool is_printable(const char *text)
{
	uint32_t code;
	size_t length;

	for (; *text; text += length) {
		length = utf8_decode(text, &code);
		if (length == 0 || code < 0x20 || utf8_is_invisible(code))
			return false;
	}
	return true;
}

static void test_random_names(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);
	char name[NAME_MAX_BYTES + 1], back[NAME_MAX_BYTES * 4 + 1];

	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < NAMES; i++) {
		name_needs_fn needs = i & 1 ? needs_separators : NULL;
		char *text;
		size_t length;

		random_name(name);
		text = written(name, needs);
		assert_true(is_printable(text));
		if (needs)
			assert_int_equal(strcspn(text, "; ()["), strlen(text));
		length = name_text_read(text, strlen(text), back);
		assert_int_equal(length, strlen(name));
		assert_memory_equal(back, name, length);
		length = name_text_read(text, strlen(text), text);
		assert_memory_equal(text, name, length);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_backslashes),
		cmocka_unit_test(test_other_texts),
		cmocka_unit_test(test_random_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
