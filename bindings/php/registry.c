/* Adds every algorithm that PHP's own registry of hash functions lacks.
 *
 * The registry's functions get a context but nothing that says which algorithm it is for, so each algorithm needs an
 * `init` function of its own: INIT makes 256 of them, by number. */

#include "php_hashmill.h"

#include "ext/hash/php_hash.h"

/* A name in the registry. */
typedef struct {
	hm_algorithm algorithm;
	char name[48];
	php_hash_ops ops;
} entry;

#define MOST 256
static entry entries[MOST];
static unsigned entry_count;

/* What PHP allocates for a running hash. A hasher must begin at a multiple of 64 bytes, which emalloc does not
 * guarantee, so there is extra room for alignment. */
typedef struct {
	/* Length of the digest in bytes. */
	size_t len;
	unsigned char memory[sizeof(hm_hasher) + 64];
} context;

static hm_hasher *hasher_of(const context *c)
{
	return (hm_hasher *) (((uintptr_t) c->memory + 63) & ~(uintptr_t) 63);
}

static void make(void *at, HashTable *options, unsigned index)
{
	context *c = at;
	hm_algorithm a = entries[index].algorithm;
	c->len = hm_algorithm_digest_len(&a);
	if (options != NULL && zend_hash_num_elements(options) > 0) {
		hm_inputs in;
		const size_t len = c->len;
		if (hashmill_with_options(&a, &in, options)) {
			if (hm_algorithm_digest_len(&a) != len) {
				zend_value_error("hashmill: the digest of %s has %zu bytes in PHP's registry; hashmill\\hash() gives any length", entries[index].name, len);
			} else if (hm_hasher_init(hasher_of(c), &a, &in) == HM_OK) {
				return;
			} else {
				zend_value_error("hashmill: %s", hm_error_message());
			}
		}
		/* An exception is set, but PHP continues with the context until it checks. */
		a = entries[index].algorithm;
	}
	hm_hasher_init(hasher_of(c), &a, NULL);
}

static void update(void *at, const unsigned char *bytes, size_t len)
{
	hm_hasher_update(hasher_of(at), bytes, len);
}

static void finish(unsigned char *digest, void *at)
{
	context *c = at;
	hm_hasher_final(hasher_of(c), digest, c->len);
	hm_hasher_free(hasher_of(c));
}

static int copy(const void *ops, void *from, void *to)
{
	context *c = to;
	c->len = ((const context *) from)->len;
	return hm_hasher_clone_to(hasher_of(from), hasher_of(c)) == HM_OK ? SUCCESS : FAILURE;
}

/* PHP frees a context that is never finished without calling the registry's functions. A key in it would stay in
 * memory, and what holds it would leak. So objects of class HashContext get handlers that check first; everything else
 * is PHP's. */
static zend_object *(*plain_create)(zend_class_entry *ce);
static zend_object_handlers handlers;
static const zend_object_handlers *plain_handlers;

static void release(zend_object *object)
{
	php_hashcontext_object *hash = php_hashcontext_from_object(object);
	if (hash->context != NULL && hash->ops != NULL && hash->ops->hash_update == update) {
		hm_hasher_free(hasher_of(hash->context));
	}
}

static void context_dtor(zend_object *object)
{
	release(object);
	plain_handlers->dtor_obj(object);
}

/* After context_dtor the context is gone; it does not run if a script ends with a fatal error. */
static void context_free(zend_object *object)
{
	release(object);
	plain_handlers->free_obj(object);
}

static zend_object *context_clone(zend_object *object)
{
	zend_object *copy = plain_handlers->clone_obj(object);
	if (copy != NULL) {
		copy->handlers = &handlers;
	}
	return copy;
}

static zend_object *context_create(zend_class_entry *ce)
{
	zend_object *object = plain_create(ce);
	if (plain_handlers == NULL) {
		plain_handlers = object->handlers;
		handlers = *plain_handlers;
		handlers.dtor_obj = context_dtor;
		handlers.free_obj = context_free;
		handlers.clone_obj = context_clone;
	}
	object->handlers = &handlers;
	return object;
}

/* Marks the stored data as an exported state (docs/api.md). */
#define STATE_MAGIC 0x686d7374

static int serialize(const php_hashcontext_object *hash, zend_long *magic, zval *out)
{
	unsigned char state[HM_MAX_STATE_BYTES];
	size_t len;
	/* After hash_final() the context is gone. */
	if (hash->context == NULL || hm_hasher_export(hasher_of(hash->context), state, sizeof state, &len) != HM_OK) {
		return FAILURE;
	}
	*magic = STATE_MAGIC;
	ZVAL_STRINGL(out, (const char *) state, len);
	return SUCCESS;
}

/* Error numbers that PHP prints if the data are wrong. */
enum { OTHER_MAGIC = -1, NO_STRING = -2, NO_STATE = -3, OTHER_ALGORITHM = -4 };

static int unserialize(php_hashcontext_object *hash, zend_long magic, const zval *in)
{
	context *c = hash->context;
	hm_algorithm own, stored;
	if (magic != STATE_MAGIC) {
		return OTHER_MAGIC;
	}
	if (Z_TYPE_P(in) != IS_STRING) {
		return NO_STRING;
	}
	hm_hasher *h = hasher_of(c);
	if (hm_hasher_algorithm(h, &own) != HM_OK) {
		return NO_STATE;
	}
	hm_hasher_free(h);
	if (hm_hasher_import_to(Z_STRVAL_P(in), Z_STRLEN_P(in), NULL, h) != HM_OK) {
		hm_hasher_init(h, &own, NULL);
		return NO_STATE;
	}
	if (hm_hasher_algorithm(h, &stored) != HM_OK || !hm_algorithm_equal(&own, &stored)) {
		hm_hasher_free(h);
		hm_hasher_init(h, &own, NULL);
		return OTHER_ALGORITHM;
	}
	return SUCCESS;
}

#define INIT(n) static void init_##n(void *c, HashTable *options) { make(c, options, 0x##n); }
#define POINTER(n) init_##n,
#define ROW(F, r) F(r##0) F(r##1) F(r##2) F(r##3) F(r##4) F(r##5) F(r##6) F(r##7) F(r##8) F(r##9) F(r##a) F(r##b) F(r##c) F(r##d) F(r##e) F(r##f)
#define ALL(F) ROW(F, 0) ROW(F, 1) ROW(F, 2) ROW(F, 3) ROW(F, 4) ROW(F, 5) ROW(F, 6) ROW(F, 7) ROW(F, 8) ROW(F, 9) ROW(F, a) ROW(F, b) ROW(F, c) ROW(F, d) ROW(F, e) ROW(F, f)
ALL(INIT)
static const php_hash_init_func_t inits[MOST] = { ALL(POINTER) };

static void enter(const hm_algorithm *a, const char *name)
{
	zend_string *known = zend_string_init(name, strlen(name), 0);
	const bool free_name = php_hash_fetch_ops(known) == NULL;
	zend_string_release(known);
	if (!free_name || entry_count == MOST || strlen(name) >= sizeof entries[0].name) {
		return;
	}
	entry *e = &entries[entry_count];
	e->algorithm = *a;
	strcpy(e->name, name);
	const hm_security security = hm_algorithm_security(a);
	e->ops = (php_hash_ops) {
		.algo = e->name,
		.hash_init = inits[entry_count],
		.hash_update = update,
		.hash_final = finish,
		.hash_copy = copy,
		.hash_serialize = serialize,
		.hash_unserialize = unserialize,
		.serialize_spec = "",
		.digest_size = hm_algorithm_digest_len(a),
		.block_size = hm_algorithm_block_len(a),
		.context_size = sizeof(context),
		/* PHP computes HMAC by itself, and stores the digest of a long key in the space of one block. HMAC is not
		 * defined for digests longer than that (CubeHash-512). */
		.is_crypto = security != HM_NOT_CRYPTOGRAPHIC && hm_algorithm_digest_len(a) <= hm_algorithm_block_len(a),
	};
	entry_count++;
	php_hash_register_algo(e->name, &e->ops);
}

/* Other common names, and outputs of SHAKE under fixed names, since in the registry each name has one digest length.
 * All are names that hm_algorithm_parse knows. */
static const char *const more_names[] = {
	"blake2b", "blake2b-256", "blake2b-384", "blake2s", "blake2s-128", "cubehash", "cubehash256", "skein256", "skein512", "skein1024", "streebog", "streebog256",
	"streebog512", "gost12-256", "gost12-512", "tiger2", "siphash", "shake128-256", "shake256-512", "crc8", "crc16", "crc16-ccitt-false", "crc16-ccitt-true",
	"crc16-aug-ccitt", "crc16-x25", "crc16-buypass", "crc24", "crc64",
};

void hashmill_registry_enter(void)
{
	hm_algorithm a;
	char name[sizeof entries[0].name];
	for (size_t i = 0; i < hm_algorithm_count(); i++) {
		if (hm_algorithm_at(i, &a) == HM_OK && hm_algorithm_name(&a, name, sizeof name) < sizeof name) {
			enter(&a, name);
		}
	}
	for (size_t i = 0; i < sizeof more_names / sizeof more_names[0]; i++) {
		if (hm_algorithm_parse(more_names[i], &a) == HM_OK) {
			enter(&a, more_names[i]);
			hashmill_name(more_names[i], &a);
		}
	}
	plain_create = php_hashcontext_ce->create_object;
	php_hashcontext_ce->create_object = context_create;
}

unsigned hashmill_registered_count(void)
{
	return entry_count;
}

void hashmill_registry_leave(void)
{
	if (php_hashcontext_ce->create_object == context_create) {
		php_hashcontext_ce->create_object = plain_create;
	}
}
