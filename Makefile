# SPDX-License-Identifier: GPL-2.0-or-later
#
# A thin door to meson and to the scripts in tools/.
#
#	make			build build/assay
#	make demo		install what the build needs, build, profile this machine for 10 s
#	make test		install what the tests need, build and run all of them
#	make test-vm		boot other kernels in qemu, also on arm64, and run the live tests there
#	make bench		measure against perf, write docs/benchmarks.md
#	make install		PREFIX=/usr/local DESTDIR=

PREFIX ?= /usr/local
DESTDIR ?=

# Profiling the whole machine takes privileges.
AS_ROOT := $(shell [ "$$(id -u)" -eq 0 ] || echo sudo)

build/assay: FORCE build/build.ninja
	ninja -C build

build/build.ninja:
	@command -v meson >/dev/null || { echo "meson is missing: tools/install-deps build"; exit 1; }
	meson setup build --buildtype=debugoptimized --prefix=$(PREFIX) -Dtests=false

demo:
	tools/install-deps build
	$(MAKE) build/assay
	$(AS_ROOT) build/assay run -a -o build/demo.assay -- sh bench/demo-workload

test:
	tools/install-deps test
	tools/run-tests

test-vm:
	tools/install-deps vm
	tools/test-vm

bench:
	tools/install-deps bench
	$(MAKE) build/assay
	bench/run

install: build/assay
	meson configure build --prefix=$(PREFIX)
	DESTDIR=$(DESTDIR) meson install -C build

clean:
	rm -rf build build-clang build-sanitize build-vm

FORCE:
.PHONY: FORCE demo test test-vm bench install clean
