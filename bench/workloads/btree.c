/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btree [ITERATIONS]: random inserts into a B-tree (a fifth of the iterations) and look-ups (the
 * rest). Look-up descends in a loop, insertion is recursive. Nodes have no pointer to their parent.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 31
#define MIDDLE (KEYS_MAX / 2)

struct node {
	int count;
	bool leaf;
	uint32_t keys[KEYS_MAX];
	struct node *children[KEYS_MAX + 1];
};

static struct node *node_new(bool leaf)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node) {
		fprintf(stderr, "btree: out of memory\n");
		exit(1);
	}
	node->leaf = leaf;
	return node;
}

/* Returns the index of the first key that is greater than or equal to @key. */
static int find_index(const struct node *node, uint32_t key)
{
	int index = 0;

	while (index < node->count && node->keys[index] < key)
		index++;
	return index;
}

static bool lookup(const struct node *node, uint32_t key)
{
	for (;;) {
		int index = find_index(node, key);

		if (index < node->count && node->keys[index] == key)
			return true;
		if (node->leaf)
			return false;
		node = node->children[index];
	}
}

static void open_gap(struct node *node, int index)
{
	size_t moved = (size_t)(node->count - index);

	memmove(&node->keys[index + 1], &node->keys[index], moved * sizeof(node->keys[0]));
	if (!node->leaf)
		memmove(&node->children[index + 2], &node->children[index + 1],
			moved * sizeof(node->children[0]));
	node->count++;
}

/* Moves the upper half of the full child @index to a new right sibling. */
static void split_child(struct node *parent, int index)
{
	struct node *left = parent->children[index];
	struct node *right = node_new(left->leaf);

	right->count = KEYS_MAX - MIDDLE - 1;
	memcpy(right->keys, &left->keys[MIDDLE + 1], sizeof(right->keys[0]) * (size_t)right->count);
	if (!left->leaf)
		memcpy(right->children, &left->children[MIDDLE + 1],
		       sizeof(right->children[0]) * (size_t)(right->count + 1));
	left->count = MIDDLE;
	open_gap(parent, index);
	parent->keys[index] = left->keys[MIDDLE];
	parent->children[index + 1] = right;
}

/* Inserts @key. @node must not be full. */
static void insert_below(struct node *node, uint32_t key)
{
	int index = find_index(node, key);

	if (index < node->count && node->keys[index] == key)
		return;
	if (node->leaf) {
		open_gap(node, index);
		node->keys[index] = key;
		return;
	}
	if (node->children[index]->count == KEYS_MAX) {
		split_child(node, index);
		if (node->keys[index] < key)
			index++;
	}
	insert_below(node->children[index], key);
}

static void insert(struct node **root, uint32_t key)
{
	if ((*root)->count == KEYS_MAX) {
		struct node *above = node_new(false);

		above->children[0] = *root;
		*root = above;
		split_child(above, 0);
	}
	insert_below(*root, key);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

int main(int argc, char **argv)
{
	long iterations = argc > 1 ? strtol(argv[1], NULL, 10) : 3000000;
	struct node *root = node_new(true);
	uint32_t state = 20051117;
	long found = 0;

	for (long i = 0; i < iterations; i++) {
		uint32_t key = next_random(&state) % 4000000;

		if (next_random(&state) % 5 == 0)
			insert(&root, key);
		else
			found += lookup(root, key);
	}
	printf("%ld\n", found);
	return 0;
}
