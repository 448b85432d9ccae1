/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/bpf_ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int bpf_ring_map(struct bpf_ring *ring, int map_fd, size_t size_bytes, struct err *err)
{
	size_t page = page_bytes();
	void *consumer, *producer;
	int code;

	*ring = (struct bpf_ring){ 0 };
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (consumer == MAP_FAILED)
		return err_sys(err, -errno, "cannot map the position of a BPF ring");
	producer = mmap(NULL, page + 2 * size_bytes, PROT_READ, MAP_SHARED, map_fd, (off_t)page);
	if (producer == MAP_FAILED) {
		code = -errno;
		(void)munmap(consumer, page);
		return err_sys(err, code, "cannot map a BPF ring of %zu KiB", size_bytes / 1024);
	}
	ring->consumer = consumer;
	ring->producer = producer;
	ring->data = (const uint8_t *)producer + page;
	ring->size_bytes = size_bytes;
	ring->tail = *ring->consumer;
	ring->head = ring->tail;
	return 0;
}

void bpf_ring_unmap(struct bpf_ring *ring)
{
	size_t page = page_bytes();

	if (ring->consumer) {
		(void)munmap(ring->consumer, page);
		(void)munmap((void *)(uintptr_t)ring->producer, page + 2 * ring->size_bytes);
	}
	*ring = (struct bpf_ring){ 0 };
}

void bpf_ring_refresh(struct bpf_ring *ring)
{
	ring->head = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
}

static size_t space_of(size_t size_bytes)
{
	return (BPF_RINGBUF_HDR_SZ + size_bytes + 7) & ~(size_t)7;
}

const void *bpf_ring_peek(struct bpf_ring *ring, size_t *ret_size_bytes)
{
	while (ring->tail != ring->head) {
		size_t offset = (size_t)(ring->tail & (ring->size_bytes - 1));
		const uint8_t *header = ring->data + offset;
		uint32_t length = __atomic_load_n((const uint32_t *)header, __ATOMIC_ACQUIRE);
		size_t size_bytes = length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		uint64_t left_bytes = ring->head - ring->tail;

		if (length & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		if (size_bytes == 0 || left_bytes > ring->size_bytes ||
		    space_of(size_bytes) > left_bytes) {
			ring->tail = ring->head;
			*ret_size_bytes = 0;
			return header;
		}
		if (!(length & BPF_RINGBUF_DISCARD_BIT)) {
			*ret_size_bytes = size_bytes;
			return header + BPF_RINGBUF_HDR_SZ;
		}
		ring->tail += space_of(size_bytes);
	}
	return NULL;
}

void bpf_ring_consume(struct bpf_ring *ring, size_t size_bytes)
{
	if (size_bytes > 0)
		ring->tail += space_of(size_bytes);
}

bool bpf_ring_release_is_due(const struct bpf_ring *ring)
{
	return ring->tail - *ring->consumer >= ring->size_bytes / 8;
}

void bpf_ring_release(struct bpf_ring *ring)
{
	__atomic_store_n(ring->consumer, ring->tail, __ATOMIC_RELEASE);
}
