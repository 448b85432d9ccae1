/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/pins.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/strpool.h"
#include "process/pin_open.h"
#include "process/proc_read.h"

/* First address that 32-bit processes cannot use. They have another vdso than 64-bit processes. */
#define COMPAT_END_ADDR (UINT64_C(1) << 32)

#define OPEN_MIN 16	/* open_limit is never less, even if RLIMIT_NOFILE is lower */
#define OPEN_MAX 65536
#define SPARE_DESCRIPTORS 16	/* that pins leave to others, such as SQLite */

/*
 * Values of pin.use, which shows how recently a file was used. A new mapping of the file raises the
 * value to USE_SEEN, and a hit raises it to USE_HIT. close_one() lowers the value by 1 whenever its
 * clock hand passes the open file, and pins_sweep() whenever nobody needs the pin. If the value is
 * already USE_NONE, close_one() closes the file, and pins_sweep() removes the pin.
 */
enum { USE_NONE, USE_SEEN, USE_HIT };

struct pin {
	uint32_t path;			/* id in pins.paths */
	uint64_t serial;
	/* id of the image in the model; 0 until pins_image() is called */
	uint32_t image;
	struct file_identity identity;	/* identity of the file according to the mapping record */
	struct file_place place;	/* where the file was mapped most recently */
	/* FILE, VDSO, UNKNOWN ("[too many files]"), or JIT (a memfd without an ELF image) */
	enum image_kind kind;
	uint8_t use;
	bool free;			/* slot is empty; its id is in pins.unused */
	bool marked;			/* needed by a caller; cleared by the next sweep */
	/* the file was changed since it was opened; the new content has another pin */
	bool stale;
	int rc;				/* result of the last attempt to open the file */
	/* fd is -1 while the file is closed; its segments stay in memory */
	struct image_file file;
};

struct pins {
	struct model *model;
	struct file_opener *opener;	/* borrowed; or NULL */
	/* paths of the pins; a path is copied to the model only when its image is needed */
	struct strpool paths;
	VEC(struct pin) pins;		/* [0] is PIN_GENERATED */
	VEC(uint32_t) unused;		/* free slots of pins */
	struct intern index;		/* identity and path -> pin */
	VEC(uint32_t) of_image;		/* model image -> pin; 0: none */
	uint32_t too_many;		/* pin of "[too many files]"; 0 until needed */
	size_t count_max;
	size_t open_count, open_limit;
	size_t descriptor_limit;	/* of this process, RLIMIT_NOFILE */
	/* id of the pin that close_one() examined last (the clock hand) */
	size_t hand;
	uint64_t last_serial;
	/* number of pins, and number of bytes of their paths, added since the last sweep */
	size_t new_count, new_bytes;
};

/* ---- finding ---- */

struct search {
	const struct pins *pins;
	const struct file_identity *identity;
	const char *path;
};

static bool same_identity(const struct file_identity *a, const struct file_identity *b)
{
	if (b->build_id_size)
		return a->build_id_size == b->build_id_size &&
		       memcmp(a->build_id, b->build_id, b->build_id_size) == 0;
	return a->dev == b->dev && a->inode == b->inode && a->generation == b->generation;
}

static bool same_pin(uint32_t id, const void *arg)
{
	const struct search *search = arg;
	const struct pin *pin = &search->pins->pins.at[id];

	return !pin->stale && same_identity(&pin->identity, search->identity) &&
	       strcmp(strpool_get(&search->pins->paths, pin->path), search->path) == 0;
}

static uint64_t pin_hash(const struct file_identity *identity, const char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));

	if (identity->build_id_size)
		return hash ^ hash_bytes(identity->build_id, identity->build_id_size);
	return hash ^ hash_pair(identity->dev ^ identity->generation << 32, identity->inode);
}

static uint32_t find_pin(const struct pins *pins, const struct file_identity *identity,
			 const char *path)
{
	struct search search = { .pins = pins, .identity = identity, .path = path };

	return intern_find(&pins->index, pin_hash(identity, path), same_pin, &search);
}

/* ---- opening and closing ---- */

/*
 * Closes a file so that another can be opened. This is the clock algorithm: a hand moves over the
 * pins in a circle. For each open file, it lowers the pin's `use` by one. It closes the first file
 * whose `use` is already USE_NONE.
 */
static void close_one(struct pins *pins)
{
	for (size_t steps = 0; steps < pins->pins.count * (USE_HIT + 1); steps++) {
		struct pin *pin;

		pins->hand = (pins->hand + 1) % pins->pins.count;
		pin = &pins->pins.at[pins->hand];
		if (pin->file.fd < 0)
			continue;
		if (pin->use != USE_NONE) {
			pin->use--;
			continue;
		}
		file_opener_close(pins->opener, TAKE_FD(pin->file.fd));
		pins->open_count--;
		return;
	}
}

static void close_file(struct pins *pins, struct pin *pin)
{
	file_opener_close(pins->opener, TAKE_FD(pin->file.fd));
	image_file_fini(&pin->file);
}

/*
 * Returns true for the path of a memfd. A memfd that is not an ELF file is not damaged: it holds
 * generated code.
 */
static bool is_memory_file(const char *path)
{
	return strncmp(path, "/memfd:", 7) == 0;
}

static void open_pin(struct pins *pins, struct pin *pin)
{
	const char *path = strpool_get(&pins->paths, pin->path);
	struct image_file file;

	if (pins->open_count >= pins->open_limit)
		close_one(pins);
	pin->rc = pin_open(pins->opener, path, &pin->identity, &pin->place, &file);
	if (pin->rc < 0) {
		if (is_memory_file(path) && pin->identity.build_id_size == 0)
			pin->kind = IMAGE_JIT;
		return;
	}
	/* Descriptors are given lowest first, so a high number says that few are left. */
	if ((size_t)file.fd + SPARE_DESCRIPTORS >= pins->descriptor_limit) {
		if (pins->open_count == 0) {
			file_opener_close(pins->opener, TAKE_FD(file.fd));
			image_file_fini(&file);
			pin->rc = -EMFILE;
			return;
		}
		close_one(pins);
	}
	close_file(pins, pin);
	pin->file = file;
	pins->open_count++;
}

static bool was_read(const struct pin *pin)
{
	return pin->file.segments.count > 0;
}

/* ---- new mappings ---- */

static struct pin *pin_slot(struct pins *pins, uint32_t *ret_id)
{
	struct pin *slot;

	if (pins->unused.count) {
		*ret_id = pins->unused.at[--pins->unused.count];
		return &pins->pins.at[*ret_id];
	}
	*ret_id = (uint32_t)pins->pins.count;
	slot = vec_push(&pins->pins);
	if (slot)
		*slot = (struct pin){ .free = true, .file.fd = -1 };
	return slot;
}

/* Marks a slot as unused again, after a pin could not be added. Returns 0, which means "no pin". */
static uint32_t give_back(struct pins *pins, uint32_t id)
{
	uint32_t *slot = vec_push(&pins->unused);

	if (slot)
		*slot = id;
	return 0;
}

static uint32_t enter_pin(struct pins *pins, const struct pin *pin, const char *path)
{
	uint32_t id, text;
	struct pin *slot = pin_slot(pins, &id);

	if (!slot)
		return 0;
	if (strpool_intern(&pins->paths, path, strlen(path), &text) < 0 ||
	    intern_add(&pins->index, pin_hash(&pin->identity, path), id) < 0)
		return give_back(pins, id);
	*slot = *pin;
	slot->path = text;
	slot->serial = ++pins->last_serial;
	slot->file.fd = -1;
	return id;
}

static uint32_t add_pin(struct pins *pins, const struct pin *pin, const char *path)
{
	uint32_t id = enter_pin(pins, pin, path);

	if (!id)
		loss_add(&pins->model->losses, LOSS_MEMORY, 1);
	return id;
}

static bool has_room(const struct pins *pins, size_t path_bytes)
{
	return pins_count(pins) < pins->count_max &&
	       pins->paths.bytes.count + path_bytes <= PINS_PATH_MAX_BYTES;
}

static uint32_t too_many(struct pins *pins)
{
	if (!pins->too_many)
		pins->too_many = add_pin(pins, &(struct pin){ .kind = IMAGE_UNKNOWN },
					 "[too many files]");
	return pins->too_many;
}

/*
 * Returns true if the name in a mapping record is not that of a file, but of memory: the program's
 * own (such as the heap) or shared memory.
 */
static bool is_anonymous(const char *path)
{
	static const char *const prefixes[] = { "//", "[", "anon_inode:", "/dev/zero", "/SYSV" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return path[0] == '\0';
}

/*
 * Returns the name of a code page that the kernel provides (vdso, vsyscall), or NULL for other
 * mappings.
 */
static const char *special_name(const struct record_mmap *mmap)
{
	if (strcmp(mmap->path, "[vdso]") == 0)
		return mmap->start_addr < COMPAT_END_ADDR ? "[vdso32]" : "[vdso]";
	return strcmp(mmap->path, "[vsyscall]") == 0 ? "[vsyscall]" : NULL;
}

static uint32_t see_special(struct pins *pins, const char *name)
{
	static const struct file_identity none;
	uint32_t id = find_pin(pins, &none, name);

	return id ? id : add_pin(pins, &(struct pin){ .kind = IMAGE_VDSO }, name);
}

static uint32_t add_file(struct pins *pins, const struct pin *seen, const char *path)
{
	size_t path_bytes = strlen(path) + 1;
	uint32_t id;

	pins->new_count++;
	pins->new_bytes += path_bytes;
	if (!has_room(pins, path_bytes))
		return too_many(pins);
	id = add_pin(pins, seen, path);
	if (id)
		open_pin(pins, &pins->pins.at[id]);
	return id;
}

static uint32_t see_file(struct pins *pins, const struct pin *seen, const char *path)
{
	uint32_t id = find_pin(pins, &seen->identity, path);
	struct pin *pin;

	if (id && seen->identity.build_id_size == 0 && pin_was_changed(&pins->pins.at[id].file)) {
		pins->pins.at[id].stale = true;
		id = 0;
	}
	if (!id)
		id = add_file(pins, seen, path);
	if (!id)
		return PIN_GENERATED;
	pin = &pins->pins.at[id];
	pin->place = seen->place;
	if (pin->use == USE_NONE)
		pin->use = USE_SEEN;
	return pin->kind == IMAGE_JIT ? PIN_GENERATED : id;
}

uint32_t pins_see(struct pins *pins, struct pin_user user, const struct record_mmap *mmap)
{
	const char *special = special_name(mmap);
	char path[PROC_PATH_MAX];
	struct pin seen = {
		.kind = IMAGE_FILE,
		.identity = {
			.build_id_size = mmap->build_id_size,
			.dev = mmap->dev,
			.inode = mmap->inode,
			.generation = mmap->inode_generation,
		},
		.place = {
			.user = user,
			.start_addr = mmap->start_addr,
			.size_bytes = mmap->size_bytes,
		},
	};

	if (special)
		return see_special(pins, special);
	if (is_anonymous(mmap->path))
		return PIN_GENERATED;
	memcpy(seen.identity.build_id, mmap->build_id, sizeof(seen.identity.build_id));
	(void)snprintf(path, sizeof(path), "%s", mmap->path);
	proc_strip_deleted(path);
	return see_file(pins, &seen, path);
}

const char *pins_path(const struct pins *pins, uint32_t pin)
{
	return strpool_get(&pins->paths, pins->pins.at[pin].path);
}

bool pins_is_file(const struct pins *pins, uint32_t pin)
{
	return pins->pins.at[pin].kind == IMAGE_FILE;
}

uint64_t pins_serial(const struct pins *pins, uint32_t pin)
{
	return pins->pins.at[pin].serial;
}

/* ---- images ---- */

static uint32_t image_row(struct pins *pins, const struct pin *pin)
{
	const struct file_identity *identity = &pin->identity;
	struct image image = {
		.kind = pin->kind,
		.path = model_keep_name(pins->model, strpool_get(&pins->paths, pin->path)),
		.build_id_size = identity->build_id_size,
		.dev = identity->dev,
		.inode = identity->inode,
		.unread = pin->kind == IMAGE_FILE && !was_read(pin),
	};

	memcpy(image.build_id, identity->build_id, sizeof(image.build_id));
	if (was_read(pin)) {
		image.build_id_size = pin->file.build_id_size;
		memcpy(image.build_id, pin->file.build_id, sizeof(image.build_id));
		image.dev = pin->file.dev;
		image.inode = pin->file.inode;
		image.mtime_ns = pin->file.mtime_ns;
	}
	return model_image_id(pins->model, &image);
}

/*
 * Makes @pin the pin whose file is read for @image. If the image already has another pin, that pin
 * is kept unless its file has been written to. An image that stands for others has no pin
 * (model_limit_places()).
 */
static int remember_image(struct pins *pins, uint32_t image, uint32_t pin)
{
	if (pins->model->images.at[image].kind != pins->pins.at[pin].kind)
		return 0;
	if (vec_reserve(&pins->of_image, image + 1) < 0)
		return -ENOMEM;
	while (pins->of_image.count <= image)
		pins->of_image.at[pins->of_image.count++] = 0;
	if (!pins->of_image.at[image] || pins->pins.at[pins->of_image.at[image]].stale)
		pins->of_image.at[image] = pin;
	return 0;
}

uint32_t pins_image(struct pins *pins, uint32_t id, struct pin_user user)
{
	struct pin *pin = &pins->pins.at[id];

	pin->use = USE_HIT;
	if (id == pins->too_many)
		loss_add(&pins->model->losses, LOSS_IMAGE_TABLE_FULL, 1);
	if (pin->image)
		return pin->image;
	if (pin->kind == IMAGE_FILE && !was_read(pin)) {
		pin->place.user = user;
		open_pin(pins, pin);
	}
	pin->image = image_row(pins, pin);
	if (pin->image && remember_image(pins, pin->image, id) < 0)
		loss_add(&pins->model->losses, LOSS_MEMORY, 1);
	return pin->image;
}

/*
 * Returns the pin whose segments are used for the image of pin @id. If files have the same content,
 * their pins share one image. All of them use the segments of the same pin, so that an address in
 * the image has only one meaning.
 */
static const struct pin *image_pin(const struct pins *pins, uint32_t id)
{
	uint32_t image = pins->pins.at[id].image;

	if (image && image < pins->of_image.count && pins->of_image.at[image])
		id = pins->of_image.at[image];
	return &pins->pins.at[id];
}

uint64_t pins_bias(const struct pins *pins, uint32_t id, uint64_t start_addr, uint64_t offset)
{
	const struct pin *pin = image_pin(pins, id);
	uint64_t vaddr = offset;

	if (pin->kind == IMAGE_VDSO)
		return strcmp(strpool_get(&pins->paths, pin->path), "[vsyscall]") == 0
			       ? 0
			       : start_addr - offset;
	if (pin->kind == IMAGE_UNKNOWN)
		return 0;
	if (was_read(pin) && !pins->model->images.at[pin->image].unread &&
	    !image_file_vaddr(&pin->file, offset, &vaddr))
		vaddr = offset;
	return start_addr - vaddr;
}

/*
 * Opens a file again that was closed because too many files were open. Keeps the old mtime, so that
 * pin_was_changed() detects whether the path now leads to another file.
 */
static void reopen(struct pins *pins, struct pin *pin)
{
	uint64_t mtime_ns = pin->file.mtime_ns;

	pin->place.size_bytes = 0;
	open_pin(pins, pin);
	if (pin->rc == 0)
		pin->file.mtime_ns = mtime_ns;
}

const struct image_file *pins_pin_file(struct pins *pins, uint32_t id)
{
	struct pin *pin = &pins->pins.at[id];

	if (id == PIN_GENERATED || pin->kind != IMAGE_FILE)
		return NULL;
	if (pin->file.fd < 0 && was_read(pin))
		reopen(pins, pin);
	if (pin->file.fd < 0)
		return NULL;
	return pin_was_changed(&pin->file) ? NULL : &pin->file;
}

const struct image_file *pins_file(void *arg, uint32_t image)
{
	struct pins *pins = arg;

	return pins_pin_file(pins, image < pins->of_image.count ? pins->of_image.at[image] : 0);
}

/* ---- creating and freeing ---- */

static void set_limits(struct pins *pins)
{
	struct rlimit limit;

	pins->open_limit = OPEN_MIN;
	pins->descriptor_limit = SIZE_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	pins->descriptor_limit = limit.rlim_cur;
	if (limit.rlim_cur / 2 > OPEN_MIN)
		pins->open_limit = limit.rlim_cur / 2 < OPEN_MAX ? limit.rlim_cur / 2 : OPEN_MAX;
}

int pins_new(struct model *model, struct file_opener *opener, struct pins **ret_pins)
{
	struct pins *pins = calloc(1, sizeof(*pins));

	if (!pins)
		return -ENOMEM;
	pins->model = model;
	pins->opener = opener;
	pins->count_max = PINS_MAX;
	set_limits(pins);
	if (strpool_init(&pins->paths) < 0 || !vec_push(&pins->pins)) {
		pins_free(pins);
		return -ENOMEM;
	}
	pins->pins.at[0].file.fd = -1;
	*ret_pins = pins;
	return 0;
}

void pins_limit(struct pins *pins, size_t count_max)
{
	pins->count_max = count_max;
}

struct file_opener *pins_opener(const struct pins *pins)
{
	return pins->opener;
}

void pins_free(struct pins *pins)
{
	if (!pins)
		return;
	for (size_t i = 0; i < pins->pins.count; i++)
		close_file(pins, &pins->pins.at[i]);
	vec_free(&pins->pins);
	vec_free(&pins->unused);
	vec_free(&pins->of_image);
	intern_fini(&pins->index);
	strpool_fini(&pins->paths);
	free(pins);
}

/* ---- removing pins that are no longer needed ---- */

bool pins_are_many(const struct pins *pins)
{
	return pins->new_count >= pins->count_max / 4 || pins->new_bytes >= PINS_PATH_MAX_BYTES / 4;
}

void pins_mark(struct pins *pins, uint32_t pin)
{
	pins->pins.at[pin].marked = true;
}

size_t pins_count(const struct pins *pins)
{
	return pins->pins.count - 1 - pins->unused.count;
}

static void forget(struct pins *pins, uint32_t id)
{
	struct pin *pin = &pins->pins.at[id];
	uint32_t *slot = vec_push(&pins->unused);

	if (!slot)
		return;
	*slot = id;
	if (pin->file.fd >= 0)
		pins->open_count--;
	close_file(pins, pin);
	*pin = (struct pin){ .free = true, .file.fd = -1 };
}

/*
 * Adds the paths of all pins to @paths, and the pins that can still be found to @index. Sets
 * ret_path_of[pin] to the id of the pin's path in @paths.
 */
static int add_pins(const struct pins *pins, struct strpool *paths, struct intern *index,
		    uint32_t *ret_path_of)
{
	for (uint32_t id = 1; id < pins->pins.count; id++) {
		const struct pin *pin = &pins->pins.at[id];
		const char *path = strpool_get(&pins->paths, pin->path);
		int rc = strpool_intern(paths, path, strlen(path), &ret_path_of[id]);

		if (rc < 0)
			return rc;
		if (pin->free || pin->stale)
			continue;
		rc = intern_add(index, pin_hash(&pin->identity, path), id);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Rebuilds the paths and the index from the remaining pins. Changes nothing if out of memory. */
static int rebuild(struct pins *pins)
{
	_cleanup_free_ uint32_t *path_of = calloc(pins->pins.count, sizeof(*path_of));
	struct strpool paths;
	struct intern index = { 0 };
	int rc = strpool_init(&paths);

	if (rc < 0 || !path_of || add_pins(pins, &paths, &index, path_of) < 0) {
		intern_fini(&index);
		strpool_fini(&paths);
		return -ENOMEM;
	}
	for (size_t id = 1; id < pins->pins.count; id++)
		pins->pins.at[id].path = path_of[id];
	intern_fini(&pins->index);
	strpool_fini(&pins->paths);
	pins->index = index;
	pins->paths = paths;
	return 0;
}

void pins_sweep(struct pins *pins)
{
	for (uint32_t id = 1; id < pins->pins.count; id++) {
		struct pin *pin = &pins->pins.at[id];
		bool needed = pin->free || pin->marked || pin->image || id == pins->too_many;

		pin->marked = false;
		if (needed)
			continue;
		if (pin->use != USE_NONE)
			pin->use--;
		else
			forget(pins, id);
	}
	pins->new_count = 0;
	pins->new_bytes = 0;
	if (rebuild(pins) < 0)
		loss_add(&pins->model->losses, LOSS_MEMORY, 1);
}
