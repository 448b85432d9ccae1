#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test_links.sh PROGRAM: fails if the program needs libbpf, or holds a collector.
set -eu
if readelf -d "$1" | grep libbpf; then
	echo "not ok: import needs libbpf"
	exit 1
fi
if nm "$1" | grep -E ' T (bpf_sampler_new|capture_new|tracefs_|perf_event_open)'; then
	echo "not ok: import links the live machine"
	exit 1
fi
nm "$1" | grep -q ' T import_read$' || { echo "not ok: import is not in $1"; exit 1; }
"$1"
