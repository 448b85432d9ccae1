/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of a BPF ring, tested with a writer that is simulated in memory. */
#include "support/test.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sampler/bpf_ring.h"

/* Memory laid out like a ring map: consumer page, producer page, and the data twice. */
struct fake_ring {
	int fd;
	size_t page, size_bytes;
	uint8_t *memory;	/* for writing: both pages, and the data once */
	uint64_t *consumer, *producer;
	struct bpf_ring ring;
};

static struct fake_ring fake_make(uint64_t start)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fake_ring fake = { .fd = memfd_create("ring", MFD_CLOEXEC), .page = page };
	uint8_t *twice;

	assert_true(fake.fd >= 0);
	fake.size_bytes = page;
	assert_int_equal(ftruncate(fake.fd, (off_t)(4 * page)), 0);
	fake.memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fake.fd, 0);
	assert_true(fake.memory != MAP_FAILED);
	twice = mmap(fake.memory + 3 * page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		     fake.fd, (off_t)(2 * page));
	assert_true(twice != MAP_FAILED);
	fake.consumer = (uint64_t *)fake.memory;
	fake.producer = (uint64_t *)(fake.memory + page);
	*fake.consumer = start;
	*fake.producer = start;
	fake.ring = (struct bpf_ring){
		.consumer = fake.consumer,
		.producer = fake.producer,
		.data = fake.memory + 2 * page,
		.size_bytes = page,
		.head = start,
		.tail = start,
	};
	return fake;
}

static void fake_fini(struct fake_ring *fake)
{
	(void)munmap(fake->memory, 4 * fake->page);
	(void)close(fake->fd);
}

static uint32_t *put_record(struct fake_ring *fake, uint32_t length, size_t size_bytes,
			    uint8_t seed)
{
	uint8_t *at = fake->memory + 2 * fake->page + *fake->producer % fake->size_bytes;

	memcpy(at, &length, sizeof(length));
	for (size_t i = 0; i < size_bytes; i++)
		at[BPF_RINGBUF_HDR_SZ + i] = (uint8_t)(seed + i);
	*fake->producer += (BPF_RINGBUF_HDR_SZ + size_bytes + 7) / 8 * 8;
	return (uint32_t *)at;
}

static void assert_next(struct fake_ring *fake, size_t wanted_bytes, uint8_t seed)
{
	size_t size_bytes = 1;
	const uint8_t *record = bpf_ring_peek(&fake->ring, &size_bytes);

	assert_non_null(record);
	assert_int_equal(size_bytes, wanted_bytes);
	for (size_t i = 0; i < size_bytes; i++)
		assert_int_equal(record[i], (uint8_t)(seed + i));
	bpf_ring_consume(&fake->ring, size_bytes);
}

static void assert_no_next(struct fake_ring *fake)
{
	size_t size_bytes = 1;

	assert_null(bpf_ring_peek(&fake->ring, &size_bytes));
}

static void test_records_in_order_and_given_back(void **state)
{
	struct fake_ring fake = fake_make(0);

	put_record(&fake, 40, 40, 1);
	put_record(&fake, 33, 33, 2);
	assert_no_next(&fake);
	bpf_ring_refresh(&fake.ring);
	assert_next(&fake, 40, 1);
	assert_int_equal(*fake.consumer, 0);
	bpf_ring_release(&fake.ring);
	assert_int_equal(*fake.consumer, 48);
	assert_next(&fake, 33, 2);
	assert_no_next(&fake);
	bpf_ring_release(&fake.ring);
	assert_int_equal(*fake.consumer, 96);
	fake_fini(&fake);
}

/*
 * A record that is still being written stops the reader until it is complete, whatever follows it.
 */
static void test_busy_record_stops(void **state)
{
	struct fake_ring fake = fake_make(0);
	uint32_t *length = put_record(&fake, 16 | BPF_RINGBUF_BUSY_BIT, 16, 1);

	put_record(&fake, 16, 16, 2);
	bpf_ring_refresh(&fake.ring);
	assert_no_next(&fake);
	*length = 16;
	assert_next(&fake, 16, 1);
	assert_next(&fake, 16, 2);
	fake_fini(&fake);
}

static void test_discarded_records_are_passed_over(void **state)
{
	struct fake_ring fake = fake_make(0);

	put_record(&fake, 24 | BPF_RINGBUF_DISCARD_BIT, 24, 1);
	put_record(&fake, 16, 16, 2);
	put_record(&fake, 8 | BPF_RINGBUF_DISCARD_BIT, 8, 3);
	bpf_ring_refresh(&fake.ring);
	assert_next(&fake, 16, 2);
	assert_no_next(&fake);
	bpf_ring_release(&fake.ring);
	assert_int_equal(*fake.consumer, *fake.producer);
	fake_fini(&fake);
}

/* The data is mapped twice, so a record that wraps around is read in one piece, at every offset. */
static void test_wrap_at_every_offset(void **state)
{
	for (uint64_t start = 0; start < 4096; start += 8) {
		struct fake_ring fake = fake_make(start);

		for (uint8_t i = 0; i < 4; i++)
			put_record(&fake, 1000, 1000, i);
		bpf_ring_refresh(&fake.ring);
		for (uint8_t i = 0; i < 4; i++)
			assert_next(&fake, 1000, i);
		assert_no_next(&fake);
		fake_fini(&fake);
	}
}

static void test_impossible_length_empties_the_ring(void **state)
{
	static const uint32_t lengths[] = { 0, 100, 4096, 0x3fffffff };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct fake_ring fake = fake_make(0);
		size_t size_bytes = 1;

		put_record(&fake, 16, 16, 1);
		put_record(&fake, lengths[i], 16, 2);
		bpf_ring_refresh(&fake.ring);
		assert_next(&fake, 16, 1);
		assert_non_null(bpf_ring_peek(&fake.ring, &size_bytes));
		assert_int_equal(size_bytes, 0);
		bpf_ring_consume(&fake.ring, size_bytes);
		assert_no_next(&fake);
		fake_fini(&fake);
	}
}

static void test_release_is_due_after_an_eighth(void **state)
{
	struct fake_ring fake = fake_make(0);

	put_record(&fake, (uint32_t)(fake.size_bytes / 8 - 16), fake.size_bytes / 8 - 16, 1);
	put_record(&fake, 8, 8, 2);
	bpf_ring_refresh(&fake.ring);
	assert_next(&fake, fake.size_bytes / 8 - 16, 1);
	assert_false(bpf_ring_release_is_due(&fake.ring));
	assert_next(&fake, 8, 2);
	assert_true(bpf_ring_release_is_due(&fake.ring));
	bpf_ring_release(&fake.ring);
	assert_false(bpf_ring_release_is_due(&fake.ring));
	fake_fini(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_in_order_and_given_back),
		cmocka_unit_test(test_busy_record_stops),
		cmocka_unit_test(test_discarded_records_are_passed_over),
		cmocka_unit_test(test_wrap_at_every_offset),
		cmocka_unit_test(test_impossible_length_empties_the_ring),
		cmocka_unit_test(test_release_is_due_after_an_eighth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
