/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain_fixture.h - a process with one program mapped, and the objects that turn its samples into
 * stacks
 */
#ifndef ASSAY_TESTS_CHAIN_FIXTURE_H
#define ASSAY_TESTS_CHAIN_FIXTURE_H

#include "support/tracker_fixture.h"

#include "intake/chain.h"
#include "process/kernel_images.h"

#define TGID 100u
#define TEXT UINT64_C(0x400000)		/* address of the program's text, 64 KiB */
#define KERNEL UINT64_C(0xffffffff81000000)

struct chain_fixture {
	struct fixture f;
	struct kernel_images *kernel_images;
	struct chains *chains;
	const uint64_t *kernel_addrs;
	size_t kernel_count;
};

static inline int chain_set_up(void **state)
{
	static struct chain_fixture c;

	fixture_init(&c.f, false);
	apply_exec(&c.f, TGID, "/nowhere/bin/prog");
	assert_int_equal(kernel_images_new(&c.f.model, &c.kernel_images), 0);
	assert_int_equal(chains_new(&c.f.model, c.f.tracker, c.kernel_images, &c.chains), 0);
	*state = &c;
	return 0;
}

static inline int chain_tear_down(void **state)
{
	struct chain_fixture *c = *state;

	chains_free(c->chains);
	kernel_images_free(c->kernel_images);
	fixture_fini(&c->f);
	return 0;
}

/* Checks that the stack has exactly these run-time addresses, leaf first. */
static inline void assert_stack(const struct chain_fixture *c, uint32_t stack, enum stack_root root,
				const uint64_t *vaddrs, size_t count)
{
	const struct model *model = &c->f.model;

	for (size_t i = 0; i < count; i++) {
		assert_true(stack >= STACK_ROOT_COUNT);
		assert_int_equal(model->locations.at[model->stacks.at[stack].location].vaddr,
				 vaddrs[i]);
		stack = model->stacks.at[stack].parent;
	}
	assert_int_equal(stack, root);
}

#define ASSERT_STACK(c, stack, root, ...)                                                        \
	assert_stack(c, stack, root, (const uint64_t[]){ __VA_ARGS__ },                          \
		     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static inline uint64_t lost(const struct chain_fixture *c, enum loss reason)
{
	return c->f.model.losses.count[reason];
}

#endif
