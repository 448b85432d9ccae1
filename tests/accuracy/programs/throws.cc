// SPDX-License-Identifier: GPL-2.0-or-later
#include "cases.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

volatile int sink;

// Probes while an exception passes, and after.
struct guard {
	explicit guard(int depth) : depth(depth) {}
	~guard()
	{
		probe();
		if (depth > 0)
			nested(depth - 1);
	}
	static NOINLINE void nested(int depth)
	{
		try {
			guard inner(depth);

			throw depth;
		} catch (int caught) {
			sink += caught;
			probe();
		}
	}
	int depth;
};

NOINLINE int thrower(int depth, int guards)
{
	guard here(guards);

	if (depth == 0)
		throw std::runtime_error("bottom");
	sink += thrower(depth - 1, guards);
	return sink;
}

NOINLINE void catcher(int depth)
{
	try {
		sink += thrower(depth, depth % 3);
	} catch (const std::exception &problem) {
		probe();
		sink += problem.what()[0];
		if (depth % 2)
			throw;
	}
}

struct shape {
	virtual ~shape() { probe(); }
	virtual int area(int depth) = 0;
};

struct square : shape {
	int area(int depth) override
	{
		std::string text(static_cast<size_t>(depth) + 20, 'x');

		if (depth > 0)
			sink += std::make_unique<square>()->area(depth - 1);
		probe();
		return sink + static_cast<int>(text.size());
	}
};

NOINLINE void sorts()
{
	std::vector<int> numbers{ 4, 2, 9, 1 };
	std::function<bool(int, int)> less = [](int a, int b) {
		probe();
		return a < b;
	};

	std::sort(numbers.begin(), numbers.end(), less);
}

NOINLINE void recurse_to_end(int depth)
{
	guard here(0);

	if (depth > 0)
		recurse_to_end(depth - 1);
	else if (sink != -1)
		pthread_exit(nullptr);
	sink++;
}

} // namespace

void throws_all(void)
{
	for (int depth = 0; depth < 20; depth++) {
		try {
			catcher(depth);
		} catch (const std::runtime_error &) {
			probe();
		}
		square().area(depth);
		sorts();
	}
}

void throws_forced(void)
{
	recurse_to_end(10);
}
