/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - read recordings of other tools into the model
 *
 * Each format is a struct import_format. A format recognizes its files by their first bytes. The
 * format's reader then fills an empty model and produces one batch of samples after another. Each
 * batch is passed to the caller, which writes it to disk (import_flush_fn), so the samples of the
 * model are never in memory all at once.
 *
 * Facts that a file does not contain are not guessed. import_lacks() adds them to a list, which is
 * stored as the fact `not_in_file`. If a file is damaged or ends early, all data that precedes the
 * damage is imported, and the rest is counted as LOSS_FILE_CUT or LOSS_RECORD_MALFORMED. An error
 * is returned only if nothing can be read.
 *
 * Files come from untrusted sources. All sizes and counts are checked before they are used, against
 * the data that is really present and against fixed limits. Not thread-safe.
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

/* Facts that a file may lack. The fact `not_in_file` lists them in this order. */
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

/*
 * Identifies a recorded kernel and its load address. A symbol table is used only if it matches
 * them.
 */
struct import_kernel {
	/* a symbol at the start of the kernel's text: "_text" or "_stext" */
	const char *symbol;
	uint64_t symbol_addr;
	const uint8_t *build_id;
	uint8_t build_id_size;		/* 0: build-id not known */
	/* the recording was made on this host; used only if the build-id is not known */
	bool same_host;
};

/*
 * Stores the symbols of @kernel in *ret_kallsyms, with the addresses that they had during the
 * recording. Returns false if no such symbols are available. Sets *ret_same_boot to true if the
 * machine has not rebooted since the recording.
 */
typedef bool (*import_kallsyms_fn)(void *context, const struct import_kernel *kernel,
				   struct kallsyms *ret_kallsyms, bool *ret_same_boot);

/*
 * Describes a jitdump that a process mapped. A jitdump is the file in which a JIT compiler
 * describes the code that it generates. The timestamps in the jitdump and the timestamps of the
 * samples come from the same clock.
 */
struct import_jitdump {
	uint32_t tgid;
	uint32_t named_pid;		/* pid in the file's name */
	uint64_t start_ns, exec_ns;	/* copied from the model's entry for the process */
	const char *path;
	uint64_t dev, inode;		/* dev as returned by stat(2); 0: not known */
	bool same_host;			/* recorded on this host, so the path is valid here */
};

/*
 * Tells the caller that a process mapped a jitdump. The caller must open the file before it writes
 * the samples that follow.
 */
typedef void (*import_jitdump_fn)(void *context, const struct import_jitdump *dump);

/*
 * Writes the batch. The function may change the batch; the reader clears the batch afterwards.
 * Returns 0 or a negative errno.
 */
typedef int (*import_flush_fn)(void *context, struct sample_batch *batch, struct err *err);

struct import;

struct import_format {
	const char *name;		/* name of the format, as given to the option -f */
	const char *description;	/* short description */
	/*
	 * Returns true if a file that begins with @head is in this format. @head holds the first
	 * few thousand bytes of the file, or the whole file if the file is shorter.
	 */
	bool (*matches)(const uint8_t *head, size_t size_bytes);
	/* text that may begin with comments ("#") and empty lines; matches() need not see them */
	bool has_comments;
	int (*read)(struct import *import, struct err *err);
	/*
	 * Returns the open file of @image, or NULL if read() did not open it. Can still be called
	 * after read() has returned.
	 */
	const struct image_file *(*image_file)(struct import *import, uint32_t image);
	void (*free)(struct import *import);
};

/* All formats. Their matches() functions are called in this order. Ends with NULL. */
extern const struct import_format *const import_formats[];

/* Returns the format called @name, or NULL. */
const struct import_format *import_format_find(const char *name);

struct import_options {
	const struct import_format *format;	/* NULL: detect the format from the first bytes */
	import_kallsyms_fn kallsyms;	/* may be NULL */
	import_jitdump_fn jitdump;	/* NULL: functions in generated code get no names */
	import_flush_fn flush;
	void *context;			/* passed to all three callbacks */
	/*
	 * Name of this host. If a mapped file has no build-id, a local file is used for it only if
	 * the recording was made on this host.
	 */
	const char *host;
	const char *cache_dir;		/* cache of unwind tables; NULL: no cache */
	struct readers *readers;	/* build unwind tables; NULL: this process builds them */
	/*
	 * Directory for a temporary copy of a file that must be read out of order, but is
	 * compressed or a pipe; NULL: /tmp
	 */
	const char *temp_dir;
};

int import_new(struct model *model, const struct import_options *options,
	       struct import **ret_import);
void import_free(struct import *import);	/* @import may be NULL */

/*
 * Reads all of @path; "-" is standard input. Returns 0, or a negative errno if nothing can be read.
 */
int import_read(struct import *import, const char *path, struct err *err);

/*
 * Returns the open file of @image, from which the image's code can be named. The file is valid as
 * long as the import. @import is a struct import; the function's type is image_file_fn.
 */
const struct image_file *import_image_file(void *import, uint32_t image);

/*
 * import_kallsyms() returns the symbols of the recorded kernel, or NULL. import_is_same_boot()
 * returns true if the recording was made on this machine since it last booted.
 */
const struct kallsyms *import_kallsyms(const struct import *import);
bool import_is_same_boot(const struct import *import);

#endif
