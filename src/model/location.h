/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * location.h - where in the code, and what it is called
 *
 * A location is an address in an image; a stack is a path in a trie of them.  Locations are
 * made while recording; symbolize/ fills in the function afterwards.
 */
#ifndef ASSAY_MODEL_LOCATION_H
#define ASSAY_MODEL_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct location {
	uint32_t image;
	uint32_t function;	/* 0: not resolved (yet) */
	uint64_t vaddr;		/* see image.h */
	uint32_t line;		/* innermost of its chain, below; 0: none is known */
	uint32_t unused;	/* rows are compared as memory */
};

/*
 * A source line that code comes from, and the function that the line is in.  Where that was
 * inlined, `caller` is the line of the call, and so on outwards: the inline chain of a location
 * is a path in a trie of lines, as a stack is one of locations.
 */
struct source_line {
	uint32_t caller;	/* smaller than its own id; 0: the function was not inlined */
	uint32_t file;		/* string: the path that the compiler wrote; 0: not known */
	uint32_t line;		/* 0: not known */
	uint32_t function;	/* 0: not known.  An inlined one has no vaddr and no size */
};

/* How a function's name and bounds are known, best first. */
enum quality {
	QUALITY_SYMTAB,		/* .symtab, .gnu_debugdata, debug file, kallsyms */
	QUALITY_DYNSYM,		/* .dynsym, and the address lies inside the symbol's size */
	QUALITY_JIT,		/* perf map or jitdump */
	QUALITY_PLT,		/* "name@plt" */
	QUALITY_BRACKET,	/* "a->b": between two known neighbours; bounds from .eh_frame
				   where it has them */
	QUALITY_BOUNDS,		/* "fn_401a30": bounds from .eh_frame, no neighbour to name it by */
	QUALITY_NONE,		/* "[name of the image]": the address is all there is */
	QUALITY_COUNT
};

struct function {
	uint32_t name;		/* string, demangled */
	uint32_t linkage_name;	/* string as in the file; 0 where it is the same */
	uint32_t image;
	enum quality quality;
	bool root;		/* threads start here: stacks that end in it are whole */
	uint64_t vaddr;
	uint64_t size_bytes;	/* 0: unknown */
};

/*
 * A stack is named by its leaf node; following `parent` walks outwards.  Kernel frames stand
 * on top of (leafward of) user frames.  Ids below STACK_ROOT_COUNT are no nodes but say how
 * the walk ended, so a stack carries its own health.
 */
enum stack_root {
	STACK_ROOT_END,		/* the chain ended by itself; whole if the function is a root */
	STACK_ROOT_TRUNCATED,	/* depth limit */
	STACK_ROOT_BROKEN,	/* the next frame lay in no known code */
	STACK_ROOT_NONE,	/* no walk was asked for or possible (--call-graph none) */
	STACK_ROOT_COUNT
};

struct stack_node {
	uint32_t parent;	/* stack node, or enum stack_root */
	uint32_t location;
};

const char *quality_name(enum quality quality);

/* What views and files show in place of a frame where a stack ends so: "<broken stack>". */
const char *stack_root_name(enum stack_root root);
bool stack_root_of_name(const char *name, size_t length, enum stack_root *ret_root);

#endif
