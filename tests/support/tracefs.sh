# Sourced by tests that need tracefs. If it is not mounted, runs the test again in a mount namespace of
# its own, where it is.
if ! [ -e /sys/kernel/tracing/events ]; then
	[ -z "$HAS_NAMESPACE" ] || { echo "tracefs may not be mounted"; exit 77; }
	unshare -m true 2>/dev/null || { echo "a mount namespace may not be made here"; exit 77; }
	HAS_NAMESPACE=1 exec unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing; exec sh "$0"' "$0"
fi
