/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * location.h - locations in code, their names, and stacks of them
 *
 * A location is an address in an image. A stack is a path in a tree of locations (a trie), so that
 * stacks with the same outer frames share the nodes of these frames. Locations are created while
 * recording; symbolize/ sets the functions of the locations afterwards.
 */
#ifndef ASSAY_MODEL_LOCATION_H
#define ASSAY_MODEL_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct location {
	uint32_t image;
	uint32_t function;	/* 0: not resolved (yet) */
	uint64_t vaddr;		/* address in the image; see image.h */
	/* id of the innermost line of the inline chain (struct source_line); 0: unknown */
	uint32_t line;
	uint32_t unused;	/* explicit padding, because rows are compared byte by byte */
};

/*
 * A source line that code was compiled from, and the function that contains the line. If that
 * function was inlined, `caller` is the line that contains the call. If the calling function was
 * inlined too, the caller's line has a `caller` in turn. The inline chain of a location is a path
 * in a tree of lines, just as a stack is a path in a tree of locations.
 */
struct source_line {
	/*
	 * id of the line that contains the call, always smaller than this row's own id; 0: the
	 * function was not inlined
	 */
	uint32_t caller;
	uint32_t file;		/* string: the path that the compiler wrote; 0: unknown */
	uint32_t line;		/* 0: unknown */
	uint32_t function;	/* 0: unknown. An inlined function has no vaddr and no size. */
};

/* Where a function's name and bounds come from, best source first. */
enum quality {
	QUALITY_SYMTAB,		/* .symtab, .gnu_debugdata, debug file, kallsyms */
	QUALITY_DYNSYM,		/* .dynsym, if the address is within the symbol's size */
	QUALITY_JIT,		/* perf map or jitdump */
	QUALITY_PLT,		/* "name@plt" */
	/*
	 * "fn_401a30": no symbol covers the function, but its neighbours are known. "gap_401a30":
	 * even its bounds are unknown, so this may be several functions between the neighbours.
	 */
	QUALITY_BRACKET,
	QUALITY_BOUNDS,		/* "fn_401a30": bounds from .eh_frame, no neighbours */
	QUALITY_NONE,		/* "[name of the image]": only the address is known */
	QUALITY_COUNT
};

struct function {
	uint32_t name;		/* string, demangled */
	uint32_t linkage_name;	/* string: the name in the symbol table; 0 if it equals `name` */
	uint32_t image;
	enum quality quality;
	/* threads start here: a stack that ends in this function is complete */
	bool root;
	/*
	 * strings: the nearest symbols in the same section if the quality is QUALITY_BRACKET;
	 * 0: the section has no symbol on that side
	 */
	uint32_t before;
	uint32_t after;
	/*
	 * generated code that was compiled several times: id of the first function with the same
	 * name and image; 0: this is no generated code. Not stored.
	 */
	uint32_t family;
	uint64_t vaddr;
	uint64_t size_bytes;	/* 0: unknown */
};

/*
 * The id of a stack is the id of its leaf node. The `parent` of a node is the node of the calling
 * frame. Kernel frames are nearer to the leaf than user frames. The parent of the outermost node is
 * a root, an id below STACK_ROOT_COUNT. A root is not a node. It tells how the walk ended, so every
 * stack records whether it is complete.
 */
enum stack_root {
	/* no walk error; the stack is complete if its outermost function is marked as `root` */
	STACK_ROOT_END,
	STACK_ROOT_TRUNCATED,	/* the outer frames were cut off by a limit */
	STACK_ROOT_BROKEN,	/* the next frame was not in any known code */
	STACK_ROOT_NONE,	/* no walk was requested (--call-graph none) or possible */
	STACK_ROOT_COUNT
};

struct stack_node {
	uint32_t parent;	/* id of a stack node, or enum stack_root */
	uint32_t location;
};

const char *quality_name(enum quality quality);

/*
 * Returns the text that views and files show at the outer end of a stack with this root, for
 * example "<broken stack>".
 */
const char *stack_root_name(enum stack_root root);
bool stack_root_of_name(const char *name, size_t length, enum stack_root *ret_root);

#endif
