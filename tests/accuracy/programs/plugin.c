/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library that frames_plugin() loads. It calls probe() when it is loaded, when it is entered,
 * and when it is unloaded.
 */
#include "probe.h"

void plugin_enter(int depth, void (*callback)(void));
void plugin_tail(void);

static volatile int sink;

__attribute__((constructor)) static void loaded(void)
{
	probe();
	sink++;
}

__attribute__((destructor)) static void unloaded(void)
{
	probe();
	sink++;
}

/* The compiler may turn the last call into a jump through the procedure linkage table. */
NOINLINE void plugin_tail(void)
{
	sink++;
	probe();
}

void plugin_enter(int depth, void (*callback)(void))
{
	volatile char room[56];

	room[depth] = 1;
	if (depth > 0)
		plugin_enter(depth - 1, callback);
	else
		plugin_tail();
	callback();
	sink += room[depth];
}
