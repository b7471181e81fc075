/* The extension hashmill.
 *
 * Every algorithm that PHP lacks is entered in the registry of PHP's own extension `hash`, so that hash(), hash_init() and all that is built on them know it. The
 * registry's functions get a context and nothing that says of which algorithm it is, so each algorithm needs an `init` of its own: INIT makes 256 of
 * them, by number. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php_hashmill.h"

#include "Zend/zend_exceptions.h"
#include "ext/hash/php_hash.h"
#include "ext/standard/info.h"
#include "php_ini.h"

#include <hashmill.h>

/* A name in the registry. */
typedef struct {
	hm_algorithm algorithm;
	char name[48];
	php_hash_ops ops;
} entry;

#define MOST 256
static entry entries[MOST];
static unsigned entry_count;

/* What PHP allocates for a running hash. A hasher begins at a multiple of 64 bytes, which emalloc does not promise, so there is room to move. */
typedef struct {
	/* Of the digest, in bytes. */
	size_t len;
	unsigned char memory[sizeof(hm_hasher) + 64];
} context;

static hm_hasher *hasher_of(const context *c)
{
	return (hm_hasher *) (((uintptr_t) c->memory + 63) & ~(uintptr_t) 63);
}

/* A value of the options array as bytes that stay as long as the array does; an error if it is something else. */
static bool option(HashTable *options, const char *name, const void **at, size_t *len)
{
	const zval *value = zend_hash_str_find(options, name, strlen(name));
	if (value == NULL) {
		return true;
	}
	if (Z_TYPE_P(value) != IS_STRING) {
		zend_type_error("hashmill: the option \"%s\" must be of type string, %s given", name, zend_zval_type_name(value));
		return false;
	}
	*at = Z_STRVAL_P(value);
	*len = Z_STRLEN_P(value);
	return true;
}

/* An algorithm with what the options array says. False with an exception. */
static bool with_options(hm_algorithm *a, hm_inputs *in, HashTable *options)
{
	*in = hm_inputs_none();
	const zval *seed = zend_hash_str_find(options, "seed", sizeof "seed" - 1);
	if (seed != NULL) {
		if (Z_TYPE_P(seed) != IS_LONG) {
			zend_type_error("hashmill: the option \"seed\" must be of type int, %s given", zend_zval_type_name(seed));
			return false;
		}
		if (hm_algorithm_with_seed(a, (uint64_t) Z_LVAL_P(seed), a) != HM_OK) {
			zend_value_error("hashmill: %s", hm_error_message());
			return false;
		}
	}
	const zval *length = zend_hash_str_find(options, "length", sizeof "length" - 1);
	if (length != NULL) {
		if (Z_TYPE_P(length) != IS_LONG || Z_LVAL_P(length) < 0) {
			zend_value_error("hashmill: the option \"length\" must be a number of bytes");
			return false;
		}
		if (hm_algorithm_with_digest_len(a, (size_t) Z_LVAL_P(length), a) != HM_OK) {
			zend_value_error("hashmill: %s", hm_error_message());
			return false;
		}
	}
	return option(options, "key", &in->key, &in->key_len) && option(options, "secret", &in->key, &in->key_len)
		&& option(options, "salt", &in->salt, &in->salt_len) && option(options, "personal", &in->personal, &in->personal_len)
		&& option(options, "context", &in->context, &in->context_len) && option(options, "resume_from", &in->resume_from, &in->resume_from_len);
}

static void make(void *at, HashTable *options, unsigned index)
{
	context *c = at;
	hm_algorithm a = entries[index].algorithm;
	c->len = hm_algorithm_digest_len(&a);
	if (options != NULL && zend_hash_num_elements(options) > 0) {
		hm_inputs in;
		const size_t len = c->len;
		if (with_options(&a, &in, options)) {
			if (hm_algorithm_digest_len(&a) != len) {
				zend_value_error("hashmill: the digest of %s has %zu bytes in PHP's registry; hashmill\\hash() gives any length", entries[index].name, len);
			} else if (hm_hasher_init(hasher_of(c), &a, &in) == HM_OK) {
				return;
			} else {
				zend_value_error("hashmill: %s", hm_error_message());
			}
		}
		/* There is an exception, but PHP goes on with the context until it looks. */
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

/* A context that nobody finishes is given back by PHP without a word to the registry's functions. A key in it would stay in memory, and so would what holds it.
 * So objects of class HashContext get handlers that look first; all else is PHP's. */
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

/* After context_dtor there is no context any more; it does not run where a script ends by a fatal error. */
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

/* Says that what is stored is an exported state (docs/api.md). */
#define STATE_MAGIC 0x686d7374

static int serialize(const php_hashcontext_object *hash, zend_long *magic, zval *out)
{
	unsigned char state[HM_MAX_STATE_BYTES];
	size_t len;
	if (hm_hasher_export(hasher_of(hash->context), state, sizeof state, &len) != HM_OK) {
		return FAILURE;
	}
	*magic = STATE_MAGIC;
	ZVAL_STRINGL(out, (const char *) state, len);
	return SUCCESS;
}

/* Numbers that PHP prints where the data are wrong. */
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
		.is_crypto = security != HM_NOT_CRYPTOGRAPHIC && hm_algorithm_block_len(a) > 1,
	};
	entry_count++;
	php_hash_register_algo(e->name, &e->ops);
}

/* Short names that people type, and outputs of SHAKE under fixed names, since a name has one length of digest in the registry. */
static const char *const more_names[] = {
	"blake2b", "blake2s", "streebog256", "streebog512", "tiger2", "siphash", "shake128-256", "shake256-512", "crc16", "crc64",
};

static void enter_all(void)
{
	hm_algorithm a;
	char name[sizeof entries[0].name];
	for (size_t i = 0; i < hm_algorithm_count(); i++) {
		if (hm_algorithm_at(i, &a) == HM_OK && hm_algorithm_name(&a, name, sizeof name) < sizeof name) {
			enter(&a, name);
		}
	}
	for (size_t i = 0; i < sizeof more_names / sizeof more_names[0]; i++) {
		unsigned bits;
		if (sscanf(more_names[i], "shake%*u-%u", &bits) == 1) {
			snprintf(name, sizeof name, "%.8s:%u", more_names[i], bits / 8);
		} else {
			snprintf(name, sizeof name, "%s", more_names[i]);
		}
		if (hm_algorithm_parse(name, &a) == HM_OK) {
			enter(&a, more_names[i]);
		}
	}
}

/* The algorithm of an argument; an exception that names the nearest if there is none. */
static bool parse(const zend_string *name, hm_algorithm *a)
{
	/* PHP's crc32 is bzip2's order of bits and its crc32b is zlib's, whatever others call so. */
	const char *text = zend_string_equals_literal_ci(name, "crc32") ? "crc32-php" : ZSTR_VAL(name);
	if (strlen(ZSTR_VAL(name)) != ZSTR_LEN(name)) {
		zend_argument_value_error(1, "must not contain any null bytes");
		return false;
	}
	if (hm_algorithm_parse(text, a) != HM_OK) {
		/* A name that is only in the registry: shake256-512. */
		for (unsigned i = 0; i < entry_count; i++) {
			if (strcasecmp(entries[i].name, text) == 0) {
				*a = entries[i].algorithm;
				return true;
			}
		}
		zend_argument_value_error(1, "must be a valid hashing algorithm: %s", hm_error_message());
		return false;
	}
	return true;
}

/* The digest of a message as a string, by hm_digest or with inputs; null where it cannot be. */
static zend_string *digest_string(const hm_algorithm *a, const hm_inputs *in, const zend_string *data, bool binary)
{
	const size_t len = hm_algorithm_digest_len(a);
	zend_string *digest = zend_string_safe_alloc(len, binary ? 1 : 2, 0, 0);
	unsigned char *raw = (unsigned char *) ZSTR_VAL(digest) + (binary ? 0 : len);
	hm_error e;
	if (in == NULL) {
		e = hm_digest(a, ZSTR_VAL(data), ZSTR_LEN(data), raw, len);
	} else {
		hm_hasher *h = NULL;
		e = hm_hasher_new(a, in, &h);
		if (e == HM_OK) e = hm_hasher_update(h, ZSTR_VAL(data), ZSTR_LEN(data));
		if (e == HM_OK) e = hm_hasher_final(h, raw, len);
		if (h != NULL) hm_hasher_free(h);
	}
	if (e != HM_OK) {
		zend_string_release(digest);
		return NULL;
	}
	if (!binary) {
		/* From the second half of the text to the whole of it: what is read was not written over yet. */
		php_hash_bin2hex(ZSTR_VAL(digest), raw, len);
	}
	ZSTR_VAL(digest)[ZSTR_LEN(digest)] = '\0';
	return digest;
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_hash, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, algo, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, binary, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

/* hashmill\hash(string $algo, string $data, bool $binary = false, array $options = []): string */
ZEND_NAMED_FUNCTION(hashmill_hash)
{
	zend_string *name, *data;
	bool binary = false;
	HashTable *options = NULL;
	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_STR(name)
		Z_PARAM_STR(data)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(binary)
		Z_PARAM_ARRAY_HT(options)
	ZEND_PARSE_PARAMETERS_END();

	hm_algorithm a;
	if (!parse(name, &a)) {
		RETURN_THROWS();
	}
	hm_inputs in = hm_inputs_none();
	const bool plain = options == NULL || zend_hash_num_elements(options) == 0;
	if (!plain && !with_options(&a, &in, options)) {
		RETURN_THROWS();
	}
	zend_string *digest = digest_string(&a, plain ? NULL : &in, data, binary);
	if (digest == NULL) {
		zend_value_error("hashmill\\hash(): %s", hm_error_message());
		RETURN_THROWS();
	}
	RETURN_NEW_STR(digest);
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_hash_many, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, algo, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, messages, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, binary, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

/* hashmill\hash_many(string $algo, array $messages, bool $binary = false): array, with the keys of $messages */
ZEND_NAMED_FUNCTION(hashmill_hash_many)
{
	zend_string *name;
	HashTable *messages;
	bool binary = false;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(name)
		Z_PARAM_ARRAY_HT(messages)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(binary)
	ZEND_PARSE_PARAMETERS_END();

	hm_algorithm a;
	if (!parse(name, &a)) {
		RETURN_THROWS();
	}
	const size_t count = zend_hash_num_elements(messages);
	const size_t each = hm_algorithm_digest_len(&a) * (binary ? 1 : 2);
	hm_bytes *where = safe_emalloc(count, sizeof *where, 0);
	size_t i = 0;
	zval *value;
	zend_ulong index;
	zend_string *key;
	ZEND_HASH_FOREACH_VAL(messages, value) {
		ZVAL_DEREF(value);
		if (Z_TYPE_P(value) != IS_STRING) {
			efree(where);
			zend_argument_type_error(2, "must be an array of strings, %s found", zend_zval_type_name(value));
			RETURN_THROWS();
		}
		where[i++] = (hm_bytes) { Z_STRVAL_P(value), Z_STRLEN_P(value) };
	} ZEND_HASH_FOREACH_END();
	unsigned char *all = safe_emalloc(count, each, 0);
	const hm_error e = hm_digest_many(&a, where, count, binary ? HM_RAW : HM_HEX, all, count * each);
	efree(where);
	if (e != HM_OK) {
		efree(all);
		zend_throw_error(NULL, "hashmill\\hash_many(): %s", hm_error_message());
		RETURN_THROWS();
	}
	array_init_size(return_value, (uint32_t) count);
	i = 0;
	ZEND_HASH_FOREACH_KEY_VAL(messages, index, key, value) {
		zval digest;
		(void) value;
		ZVAL_STRINGL(&digest, (const char *) all + each * i++, each);
		if (key != NULL) {
			zend_hash_add_new(Z_ARRVAL_P(return_value), key, &digest);
		} else {
			zend_hash_index_add_new(Z_ARRVAL_P(return_value), index, &digest);
		}
	} ZEND_HASH_FOREACH_END();
	efree(all);
}

/* hashmill.replace_builtin: the functions that PHP has itself, by its names, on our code. PHP's registry cannot be changed once an algorithm is in it, so it is
 * hash() alone that is another function then; hash_init(), hash_file() and the others go on with PHP's code. */
static HashTable builtin;
static zif_handler plain_hash;

static void drop(zval *value)
{
	pefree(Z_PTR_P(value), true);
}

static ZEND_NAMED_FUNCTION(replaced_hash)
{
	const uint32_t n = ZEND_NUM_ARGS();
	if (n == 2 || n == 3) {
		const zval *name = ZEND_CALL_ARG(execute_data, 1), *data = ZEND_CALL_ARG(execute_data, 2);
		const zval *binary = n == 3 ? ZEND_CALL_ARG(execute_data, 3) : NULL;
		if (Z_TYPE_P(name) == IS_STRING && Z_TYPE_P(data) == IS_STRING && (binary == NULL || Z_TYPE_P(binary) == IS_TRUE || Z_TYPE_P(binary) == IS_FALSE)) {
			const hm_algorithm *a = zend_hash_find_ptr(&builtin, Z_STR_P(name));
			zend_string *digest = a == NULL ? NULL : digest_string(a, NULL, Z_STR_P(data), binary != NULL && Z_TYPE_P(binary) == IS_TRUE);
			if (digest != NULL) {
				RETURN_NEW_STR(digest);
			}
		}
	}
	/* Options, other names, arguments that are wrong. */
	plain_hash(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Whether PHP's own function of this name is this algorithm. */
static bool same_as_builtin(const php_hash_ops *ops, const hm_algorithm *a)
{
	static const unsigned char message[] = "Two functions of one name need not be the same.";
	unsigned char theirs[256], ours[256];
	if (ops->digest_size != hm_algorithm_digest_len(a) || ops->digest_size > sizeof ours || hm_digest(a, message, sizeof message, ours, ops->digest_size) != HM_OK) {
		return false;
	}
	void *c = php_hash_alloc_context(ops);
	ops->hash_init(c, NULL);
	ops->hash_update(c, message, sizeof message);
	ops->hash_final(theirs, c);
	efree(c);
	return memcmp(ours, theirs, ops->digest_size) == 0;
}

static void replace(const hm_algorithm *a, const char *name)
{
	zend_string *lower = zend_string_init(name, strlen(name), 1);
	zend_str_tolower(ZSTR_VAL(lower), ZSTR_LEN(lower));
	const php_hash_ops *ops = php_hash_fetch_ops(lower);
	if (ops != NULL && same_as_builtin(ops, a)) {
		zend_hash_add_mem(&builtin, lower, (void *) a, sizeof *a);
	}
	zend_string_release(lower);
}

/* Before anything of ours is in the registry. */
static void replace_all(void)
{
	hm_algorithm a;
	char name[64];
	for (size_t i = 0; i < hm_algorithm_count() && hm_algorithm_at(i, &a) == HM_OK; i++) {
		if (hm_algorithm_name(&a, name, sizeof name) < sizeof name) {
			replace(&a, name);
		}
		size_t len;
		for (size_t k = 0; (len = hm_algorithm_alias(&a, k, name, sizeof name)) > 0; k++) {
			if (len < sizeof name) {
				replace(&a, name);
			}
		}
	}
	if (hm_algorithm_parse("crc32-php", &a) == HM_OK) {
		replace(&a, "crc32");
	}
	zend_function *f = zend_hash_str_find_ptr(CG(function_table), "hash", sizeof "hash" - 1);
	if (f != NULL && f->type == ZEND_INTERNAL_FUNCTION) {
		plain_hash = f->internal_function.handler;
		f->internal_function.handler = replaced_hash;
	}
}

PHP_INI_BEGIN()
	PHP_INI_ENTRY("hashmill.replace_builtin", "0", PHP_INI_SYSTEM, NULL)
PHP_INI_END()

static const zend_function_entry functions[] = {
	ZEND_NS_RAW_FENTRY("hashmill", "hash", hashmill_hash, arginfo_hash, 0)
	ZEND_NS_RAW_FENTRY("hashmill", "hash_many", hashmill_hash_many, arginfo_hash_many, 0)
	ZEND_FE_END
};

static PHP_MINIT_FUNCTION(hashmill)
{
	if (strcmp(hm_version(), HM_VERSION) != 0) {
		zend_error(E_CORE_WARNING, "hashmill: compiled for libhashmill %s, and %s is here: build the extension again", HM_VERSION, hm_version());
		return FAILURE;
	}
	REGISTER_INI_ENTRIES();
	zend_hash_init(&builtin, 64, NULL, drop, true);
	if (INI_BOOL("hashmill.replace_builtin")) {
		replace_all();
	}
	enter_all();
	plain_create = php_hashcontext_ce->create_object;
	php_hashcontext_ce->create_object = context_create;
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(hashmill)
{
	if (plain_hash != NULL) {
		zend_function *f = zend_hash_str_find_ptr(CG(function_table), "hash", sizeof "hash" - 1);
		if (f != NULL && f->internal_function.handler == replaced_hash) {
			f->internal_function.handler = plain_hash;
		}
	}
	if (php_hashcontext_ce->create_object == context_create) {
		php_hashcontext_ce->create_object = plain_create;
	}
	zend_hash_destroy(&builtin);
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(hashmill)
{
	char text[32];
	php_info_print_table_start();
	php_info_print_table_row(2, "hashmill", "enabled");
	php_info_print_table_row(2, "libhashmill", hm_version());
	snprintf(text, sizeof text, "%u", entry_count);
	php_info_print_table_row(2, "algorithms beside PHP's own", text);
	snprintf(text, sizeof text, "%u", zend_hash_num_elements(&builtin));
	php_info_print_table_row(2, "names for which hash() runs on hashmill", text);
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

static const zend_module_dep dependencies[] = {
	ZEND_MOD_REQUIRED("hash")
	ZEND_MOD_END
};

zend_module_entry hashmill_module_entry = {
	STANDARD_MODULE_HEADER_EX,
	NULL,
	dependencies,
	"hashmill",
	functions,
	PHP_MINIT(hashmill),
	PHP_MSHUTDOWN(hashmill),
	NULL,
	NULL,
	PHP_MINFO(hashmill),
	PHP_HASHMILL_VERSION,
	STANDARD_MODULE_PROPERTIES
};

#ifdef COMPILE_DL_HASHMILL
ZEND_GET_MODULE(hashmill)
#endif
