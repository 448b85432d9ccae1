/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - recordings of other tools, into the model
 *
 * A format is a struct import_format: it says by the first bytes whether a file is its own, and
 * reads it into an empty model and one batch of samples after the other.  Whoever calls writes each
 * batch down (import_flush_fn), so that memory does not grow with the file.
 *
 * What a format cannot tell is not guessed: it is listed (import_lacks()) and becomes the fact
 * `not_in_file`.  A file that ends early or is damaged gives all that comes before, and what is
 * missing is counted: LOSS_FILE_CUT, LOSS_RECORD_MALFORMED.  An error is only what keeps from
 * reading at all.
 *
 * Files come from strangers: all sizes and counts are checked against what is there, and against
 * limits of our own, before anything is done with them.
 * Not thread-safe.
 */
#ifndef ASSAY_IMPORT_IMPORT_H
#define ASSAY_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"

/* What files may leave out, in the order of the list. */
enum import_lack {
	LACK_TIME,
	LACK_CPU,
	LACK_CALLERS,
	LACK_STACK_COPIES,
	LACK_COUNTERS,
	LACK_WEIGHT,
	LACK_DATE,
	LACK_OWNERS,
	LACK_LATENESS,
	LACK_LEDGER,
	LACK_ENTRY,
	LACK_BUILD_IDS,
	LACK_FEATURES,
	LACK_TASKS,
	LACK_JIT_CLOCK,
	LACK_PLACES,
	LACK_PROCESSES,
	LACK_HOST,
	LACK_COUNT
};

/* How a kernel lay in memory: what tells whether symbols are its own. */
struct import_kernel {
	const char *symbol;		/* of its text: "_text", "_stext" */
	uint64_t symbol_addr;
	const uint8_t *build_id;
	uint8_t build_id_size;		/* 0: not known; */
	bool same_host;			/* then this has to do */
};

/*
 * The symbols of that kernel as it was loaded then, into *ret_kallsyms; false where there are none.
 * *ret_same_boot: it is the one that runs here.
 */
typedef bool (*import_kallsyms_fn)(void *context, const struct import_kernel *kernel,
				   struct kallsyms *ret_kallsyms, bool *ret_same_boot);

/* A process mapped a jitdump, the samples' clock being the one that its times are of. */
struct import_jitdump {
	uint32_t tgid;
	uint32_t named_pid;		/* in the file's name */
	uint64_t start_ns, exec_ns;	/* as in the process's row */
	const char *path;
	uint64_t dev, inode;		/* dev as of stat(2); 0: not known */
	bool same_host;			/* then the path means something here */
};

/* To be opened, before the samples that come behind are flushed. */
typedef void (*import_jitdump_fn)(void *context, const struct import_jitdump *dump);

/* Writes the batch, which it may change and which is cleared then. 0 or a negative errno. */
typedef int (*import_flush_fn)(void *context, struct sample_batch *batch, struct err *err);

struct import;

struct import_format {
	const char *name;		/* as -f has it */
	const char *description;	/* what it is, in a few words */
	/* Is it one of these?  @head: the first bytes, all there are or some thousand. */
	bool (*matches)(const uint8_t *head, size_t size_bytes);
	int (*read)(struct import *import, struct err *err);
	/* The files whose code was looked into, and what read() left; NULL: there is none. */
	const struct image_file *(*image_file)(struct import *import, uint32_t image);
	void (*free)(struct import *import);
};

/* In the order in which they are asked whether a file is theirs; NULL at the end. */
extern const struct import_format *const import_formats[];

/* NULL where there is none of that name. */
const struct import_format *import_format_find(const char *name);

struct import_options {
	const struct import_format *format;	/* NULL: by what the file begins with */
	import_kallsyms_fn kallsyms;	/* NULL: none */
	import_jitdump_fn jitdump;	/* NULL: generated code stays unnamed */
	import_flush_fn flush;
	void *context;			/* of all three */
	const char *host;		/* of this machine: files without build-id are believed
					   here alone */
	const char *cache_dir;		/* of unwind tables; NULL: none */
};

int import_new(struct model *model, const struct import_options *options,
	       struct import **ret_import);
void import_free(struct import *import);	/* NULL is fine */

/* All of @path ("-": standard input). 0, or a negative errno where nothing can be read. */
int import_read(struct import *import, const char *path, struct err *err);

/* For naming what was read, while the import lives. Matches image_file_fn. */
const struct image_file *import_image_file(void *import, uint32_t image);

/* What the kernel's addresses are called, or NULL; is it the boot that runs here? */
const struct kallsyms *import_kallsyms(const struct import *import);
bool import_is_same_boot(const struct import *import);

#endif
