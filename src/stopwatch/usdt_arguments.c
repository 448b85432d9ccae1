/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/usdt_arguments.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT_BYTES_MAX 64

/* ---- registers ---- */

/* The names of one register by size: 8, 4, 2 and 1 bytes. Numbers as in bpf/span_usdt.h. */
static const char *const x86_registers[][4] = {
	{ "rax", "eax", "ax", "al" },	   { "rbx", "ebx", "bx", "bl" },
	{ "rcx", "ecx", "cx", "cl" },	   { "rdx", "edx", "dx", "dl" },
	{ "rsi", "esi", "si", "sil" },	   { "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" },	   { "rsp", "esp", "sp", "spl" },
	{ "r8", "r8d", "r8w", "r8b" },	   { "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10d", "r10w", "r10b" }, { "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12d", "r12w", "r12b" }, { "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14d", "r14w", "r14b" }, { "r15", "r15d", "r15w", "r15b" },
};

static int x86_register(const char *name, size_t length)
{
	for (int i = 0; i < (int)(sizeof(x86_registers) / sizeof(x86_registers[0])); i++)
		for (int k = 0; k < 4; k++)
			if (strlen(x86_registers[i][k]) == length &&
			    memcmp(x86_registers[i][k], name, length) == 0)
				return i;
	return -1;
}

#define ARM64_SP 31

/* x0 to x30, or w0 to w30 for the lower half. */
static int arm64_register(const char *name, size_t length)
{
	int number = 0;

	if (length == 2 && memcmp(name, "sp", 2) == 0)
		return ARM64_SP;
	if (length < 2 || length > 3 || (name[0] != 'x' && name[0] != 'w'))
		return -1;
	for (size_t i = 1; i < length; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		number = number * 10 + (name[i] - '0');
	}
	return number < ARM64_SP ? number : -1;
}

/* ---- places ---- */

/* Reads a number that ends where @text does, or at @end. "" is 0. */
static bool read_number(const char *text, const char *end, int64_t *ret_number)
{
	char *stop;

	*ret_number = 0;
	if (text == end)
		return true;
	*ret_number = strtoll(text, &stop, 0);
	return stop == end;
}

static bool set_register(int number, uint8_t *ret_number)
{
	if (number < 0)
		return false;
	*ret_number = (uint8_t)number;
	return true;
}

/* "%rdx" or "%rdx,8" */
static bool x86_index(const char *text, const char *end, struct span_argument *argument)
{
	const char *comma = strchr(text, ',');
	int64_t scale = 1;

	if (text[0] != '%' ||
	    !set_register(x86_register(text + 1, (size_t)((comma ? comma : end) - text) - 1),
			  &argument->index) ||
	    (comma && !read_number(comma + 1, end, &scale)))
		return false;
	argument->scale = (uint8_t)scale;
	return scale == 1 || scale == 2 || scale == 4 || scale == 8;
}

/* "%rdi", "$-1", "16(%rsp)" or "(%rax,%rdx,8)" */
static bool x86_place(const char *text, struct span_argument *argument)
{
	const char *end = text + strlen(text), *open = strchr(text, '('), *comma;

	if (text[0] == '$') {
		argument->kind = SPAN_ARGUMENT_NUMBER;
		return text[1] && read_number(text + 1, end, &argument->number);
	}
	if (text[0] == '%') {
		argument->kind = SPAN_ARGUMENT_REGISTER;
		return set_register(x86_register(text + 1, (size_t)(end - text) - 1),
				    &argument->base);
	}
	if (!open || open[1] != '%' || end[-1] != ')' ||
	    !read_number(text, open, &argument->number))
		return false;
	argument->kind = SPAN_ARGUMENT_MEMORY;
	comma = strchr(open, ',');
	end--;
	if (!set_register(x86_register(open + 2, (size_t)((comma ? comma : end) - open) - 2),
			  &argument->base))
		return false;
	return !comma || x86_index(comma + 1, end, argument);
}

/* "x0", "5", "[sp]" or "[x1, 16]" */
static bool arm64_place(const char *text, struct span_argument *argument)
{
	const char *end = text + strlen(text), *comma = strchr(text, ',');

	if (text[0] != '[') {
		argument->kind = SPAN_ARGUMENT_REGISTER;
		if (set_register(arm64_register(text, (size_t)(end - text)), &argument->base))
			return true;
		argument->kind = SPAN_ARGUMENT_NUMBER;
		return read_number(text, end, &argument->number);
	}
	argument->kind = SPAN_ARGUMENT_MEMORY;
	if (*--end != ']')
		return false;
	if (!set_register(arm64_register(text + 1, (size_t)((comma ? comma : end) - text) - 1),
			  &argument->base))
		return false;
	if (!comma)
		return true;
	comma += 1 + (comma[1] == ' ');
	return read_number(comma + (*comma == '#'), end, &argument->number);
}

/* ---- all ---- */

static bool parse(const char *text, uint16_t machine, struct span_argument *argument)
{
	char *at;
	long size_bytes = strtol(text, &at, 10);

	if (at == text || *at != '@' || at[1] == '\0')
		return false;
	argument->is_signed = size_bytes < 0;
	size_bytes = labs(size_bytes);
	if (size_bytes != 1 && size_bytes != 2 && size_bytes != 4 && size_bytes != 8)
		return false;
	argument->size_bytes = (uint8_t)size_bytes;
	return machine == EM_X86_64 ? x86_place(at + 1, argument) : arm64_place(at + 1, argument);
}

/* Returns the length of the first argument. There may be a space between its brackets. */
static size_t length_of(const char *text)
{
	size_t length = 0;
	bool inside = false;

	while (text[length] && (text[length] != ' ' || inside)) {
		inside = text[length] == '[' || (inside && text[length] != ']');
		length++;
	}
	return length;
}

uint32_t usdt_arguments_parse(const char *text, uint16_t machine, struct span_place *ret_place)
{
	uint32_t count = 0;

	*ret_place = (struct span_place){ 0 };
	for (;;) {
		struct span_argument argument = { 0 };
		char one[ARGUMENT_BYTES_MAX];
		size_t length;

		text += strspn(text, " ");
		length = length_of(text);
		if (!length)
			return count;
		(void)snprintf(one, sizeof(one), "%.*s", (int)length, text);
		if (count < SPAN_ARGUMENTS && length < sizeof(one) &&
		    parse(one, machine, &argument))
			ret_place->arguments[count] = argument;
		text += length;
		count++;
	}
}
