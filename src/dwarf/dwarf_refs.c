/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows references from entry to entry, also into other units and into the dwz file. */
#include <errno.h>

#include "base/cleanup.h"
#include "dwarf/dwarf.h"

/* What is read of an entry in another unit: enough for most, and for those with long texts. */
#define ENTRY_FIRST_BYTES 1024u
#define ENTRY_BYTES (64u << 10)

struct target {
	struct dwarf_file *file;
	uint64_t offset;
};

/* Finds the entry to which a value refers. Returns false if it cannot be found. */
static bool find_target(const struct dwarf_cu *cu, const struct dwarf_value *value,
			struct target *ret_target)
{
	*ret_target = (struct target){ .file = cu->file, .offset = value->number };
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		ret_target->offset += cu->unit.offset;
		return ret_target->offset >= cu->unit.offset && ret_target->offset < cu->unit.end;
	case DW_FORM_ref_addr:
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		ret_target->file = cu->file->alt;
		return ret_target->file;
	default:
		return false;
	}
}

static int foreign_table(struct dwarf_file *file, uint64_t offset, struct dwarf_abbrevs **ret_table)
{
	size_t slot = offset / 16 % DWARF_FOREIGN_TABLES;
	int rc = 0;

	*ret_table = &file->foreign[slot].table;
	if (file->foreign[slot].used && file->foreign[slot].offset == offset)
		return 0;
	rc = dwarf_abbrevs_read(file, offset, 0, *ret_table);
	file->foreign[slot].used = rc == 0;
	file->foreign[slot].offset = offset;
	return rc;
}

/*
 * Reads the entry at @offset in @cu, which is not the unit of the queries. Reads at most
 * @size_bytes of the unit's bytes, from @offset on.
 */
static int read_foreign(struct dwarf_cu *cu, uint64_t offset, uint64_t size_bytes,
			struct dwarf_window *window, struct dwarf_die *ret_die)
{
	struct dwarf_abbrevs *table;
	struct byte_reader r;
	int rc = foreign_table(cu->file, cu->unit.abbrev_offset, &table);

	if (rc < 0)
		return rc;
	if (size_bytes > cu->unit.end - offset)
		size_bytes = cu->unit.end - offset;
	rc = dwarf_window_open(cu->file, DWARF_INFO, offset, size_bytes, window);
	if (rc < 0)
		return rc;
	r = dwarf_window_reader(cu->file, window);
	return dwarf_die_read(cu->file, &cu->unit, table, &r, ret_die);
}

/* Shows an entry to the visitor. Returns 1 if it wants to see another one, which is *@target. */
static int visit(const struct dwarf_cu *cu, const struct dwarf_die *die,
		 const struct dwarf_visitor *visitor, struct target *target)
{
	struct dwarf_value next = { 0 };
	int rc = visitor->see(visitor->context, cu, die, &next);

	return rc < 0 ? rc : rc > 0 && find_target(cu, &next, target);
}

static int visit_foreign(struct target *target, const struct dwarf_visitor *visitor)
{
	const struct dwarf_unit *unit = dwarf_unit_at(target->file, target->offset);
	_cleanup_(dwarf_cu_close) struct dwarf_cu cu = { 0 };
	_cleanup_(dwarf_window_close) struct dwarf_window window = { 0 };
	struct dwarf_die die;
	int rc = unit ? dwarf_cu_open(target->file, unit, false, &cu) : -EBADMSG;

	if (rc < 0)
		return rc;
	rc = read_foreign(&cu, target->offset, ENTRY_FIRST_BYTES, &window, &die);
	if (rc == -EBADMSG) {
		dwarf_window_close(&window);
		rc = read_foreign(&cu, target->offset, ENTRY_BYTES, &window, &die);
	}
	if (rc < 0)
		return rc;
	return visit(&cu, &die, visitor, target);
}

static int visit_own(const struct dwarf_cu *cu, struct target *target,
		     const struct dwarf_visitor *visitor)
{
	struct byte_reader r = dwarf_window_reader(cu->file, &cu->info);
	struct dwarf_die die;
	int rc;

	byte_reader_seek(&r, target->offset - cu->unit.offset);
	rc = dwarf_die_read(cu->file, &cu->unit, &cu->abbrevs, &r, &die);
	return rc < 0 ? rc : visit(cu, &die, visitor, target);
}

int dwarf_follow(const struct dwarf_cu *cu, const struct dwarf_die *die,
		 const struct dwarf_visitor *visitor)
{
	struct target target;
	int more = visit(cu, die, visitor, &target);

	for (int i = 0; more > 0; i++) {
		bool own = target.file == cu->file && target.offset >= cu->unit.offset &&
			   target.offset < cu->unit.end;

		if (i == DWARF_ORIGINS_MAX)
			return -EBADMSG;
		more = own ? visit_own(cu, &target, visitor) : visit_foreign(&target, visitor);
	}
	return more;
}

bool dwarf_die_origin(const struct dwarf_die *die, struct dwarf_value *ret_value)
{
	const struct dwarf_value *value = die_value(die, SLOT_ORIGIN);

	if (!value)
		value = die_value(die, SLOT_SPECIFICATION);
	if (value)
		*ret_value = *value;
	return value;
}

/*
 * Takes the linkage name of an entry, or its plain name if it has no linkage name and there is no
 * name yet. No name is better than a linkage name, so no further entries are read then.
 */
static int take_name(void *context, const struct dwarf_cu *cu, const struct dwarf_die *die,
		     struct dwarf_value *ret_next)
{
	const struct dwarf_value *linkage_name = die_value(die, SLOT_LINKAGE_NAME);
	const struct dwarf_value *name = die_value(die, SLOT_NAME);
	char *text = context;
	int rc = 0;

	if (linkage_name)
		return dwarf_cu_text(cu, linkage_name, text);
	if (name && !text[0])
		rc = dwarf_cu_text(cu, name, text);
	return rc < 0 ? rc : dwarf_die_origin(die, ret_next);
}

int dwarf_die_name(const struct dwarf_cu *cu, const struct dwarf_die *die,
		   char ret_text[static DWARF_TEXT_MAX])
{
	const struct dwarf_visitor visitor = { .see = take_name, .context = ret_text };

	ret_text[0] = '\0';
	return dwarf_follow(cu, die, &visitor);
}
