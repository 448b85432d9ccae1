/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "present/escape.h"

static void assert_escaped(void (*escape)(FILE *, const char *), const char *text,
			   const char *expected)
{
	char *shown = NULL;
	size_t size;
	FILE *out = open_memstream(&shown, &size);

	escape(out, text);
	(void)fclose(out);
	assert_string_equal(shown, expected);
	free(shown);
}

static void test_text(void **state)
{
	assert_escaped(escape_text, "plain a->b()", "plain a->b()");
	assert_escaped(escape_text, "\033[2Jx\n\t\r\177", "\\x1b[2Jx\\x0a\\x09\\x0d\\x7f");
	assert_escaped(escape_text, "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80",
		       "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80");
	assert_escaped(escape_text,
		       "\xc2\x9b"
		       "31m",
		       "\\u009b31m"); /* CSI as a single C1 control character */
	assert_escaped(escape_text,
		       "a\xe2\x80\xae"
		       "b\xe2\x81\xa6"
		       "c\xe2\x80\xa8",
		       "a\\u202eb\\u2066c\\u2028");
	assert_escaped(escape_text, "\xf3\xa0\x81\x81\xe3\x85\xa4\xe1\xa0\x8e",
		       /* a tag character and two invisible characters */
		       "\\U000e0041\\u3164\\u180e");
	/* text that looks like an escape is escaped, too */
	assert_escaped(escape_text, "\\x1b", "\\\\x1b");
}

/* Stray and missing continuation bytes, overlong forms, surrogates, values beyond Unicode. */
static void test_invalid_utf8(void **state)
{
	assert_escaped(escape_text, "\x80", "\\x80");
	assert_escaped(escape_text, "\xc3", "\\xc3");
	assert_escaped(escape_text, "\xc3(", "\\xc3(");
	assert_escaped(escape_text, "\xe2\x80", "\\xe2\\x80");
	assert_escaped(escape_text, "\xc0\x9b", "\\xc0\\x9b");
	assert_escaped(escape_text, "\xe0\x80\x9b", "\\xe0\\x80\\x9b");
	assert_escaped(escape_text, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	assert_escaped(escape_text, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	assert_escaped(escape_text, "\xff", "\\xff");
}

static void test_json(void **state)
{
	assert_escaped(escape_json, "", "\"\"");
	assert_escaped(escape_json, "a\"b\\c", "\"a\\\"b\\\\c\"");
	assert_escaped(escape_json, "\033\n", "\"\\u001b\\u000a\"");
	assert_escaped(escape_json, "\xff\xc3\xbc", "\"\\ufffd\xc3\xbc\"");
	assert_escaped(escape_json, "\xe2\x80\xa8\xc2\x9b", "\"\\u2028\\u009b\"");
	assert_escaped(escape_json, "\xf3\xa0\x81\x81", "\"\\udb40\\udc41\"");
}

static void test_csv(void **state)
{
	assert_escaped(escape_csv, "plain", "plain");
	assert_escaped(escape_csv, "a,b", "\"a,b\"");
	assert_escaped(escape_csv, "say \"x\"", "\"say \"\"x\"\"\"");
	assert_escaped(escape_csv, "a\nb", "\"a\\x0ab\"");
	assert_escaped(escape_csv, "C:\\new\\", "C:\\new\\");
	assert_escaped(escape_csv, "\\x0a", "\\x5cx0a");
	assert_escaped(escape_csv, "=1+1", "'=1+1");
	assert_escaped(escape_csv, "@a,b", "\"'@a,b\"");
	assert_escaped(escape_csv, "-5", "-5");
	assert_escaped(escape_csv, "-5+x", "'-5+x");
}

static void test_joined(void **state)
{
	assert_escaped(escape_joined, "operator%", "operator%");
	assert_escaped(escape_joined, "f(int)::{lambda()#1} [clone]",
		       "f(int)::{lambda()#1} [clone]");
	assert_escaped(escape_joined, "a;b", "a%3bb");
	assert_escaped(escape_joined, ";", "%3b");
	/* text that looks like an escape is escaped, too */
	assert_escaped(escape_joined, "a%3bb", "a%253bb");
	assert_escaped(escape_joined, "%25", "%2525");
	assert_escaped(escape_joined, "%2;%%3b%2", "%2%3b%%253b%2");
	assert_escaped(escape_joined, "yaml%2ev3", "yaml%2ev3");
	/* left to the code that prints the text */
	assert_escaped(escape_joined, "a\nb\\", "a\nb\\");
}

static void assert_xml(const char *text, const char *expected)
{
	char *shown = NULL;
	size_t size, bytes;
	FILE *out = open_memstream(&shown, &size);

	bytes = escape_xml(out, text);
	(void)fclose(out);
	assert_string_equal(shown, expected);
	assert_int_equal(bytes, strlen(expected));
	assert_int_equal(escape_xml(NULL, text), bytes);
	free(shown);
}

static void test_xml(void **state)
{
	assert_xml("", "");
	assert_xml("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
	assert_xml("]]><script>", "]]&gt;&lt;script&gt;");
	assert_xml("a\n\tb\033", "a\\x0a\\x09b\\x1b");
	assert_xml("\xff\xc3", "\\xff\\xc3");
	assert_xml("\xe2\x80\xae", "\\u202e");
	assert_xml("\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_invalid_utf8),
		cmocka_unit_test(test_json), cmocka_unit_test(test_csv),
		cmocka_unit_test(test_xml),  cmocka_unit_test(test_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
