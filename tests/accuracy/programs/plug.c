/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An image that is built thousands of times, each with its own build-id: see images.py. */
#define NOINLINE __attribute__((noinline, noclone))

void plug_enter(long steps);

static volatile long sink;

static NOINLINE void plug_leaf(long steps)
{
	for (long i = 0; i < steps; i++)
		sink += i;
}

void plug_enter(long steps)
{
	volatile char room[72];

	room[0] = (char)steps;
	plug_leaf(steps);
	sink += room[0];
}

/* Makes its unwind table as large as that of a small library. */
#define FUNCTION(n)                                          \
	static __attribute__((used)) void filler_##n(long a) \
	{                                                    \
		plug_leaf(a);                                \
		plug_enter(sink);                            \
		sink += a;                                   \
	}
#define FOUR(n) FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3)
#define SIXTEEN(n) FOUR(n##0) FOUR(n##1) FOUR(n##2) FOUR(n##3)
#define MANY(n) SIXTEEN(n##0) SIXTEEN(n##1) SIXTEEN(n##2) SIXTEEN(n##3)
MANY(1) MANY(2) MANY(3) MANY(4)
