/* hashmill\hash() and hashmill\hash_many(), and the argument handling shared by all functions. */

#include "php_hashmill.h"

#include "Zend/zend_exceptions.h"
#include "ext/hash/php_hash.h"

/* A value from the options array as bytes, valid as long as the array; an error if it is anything else. */
static bool option(HashTable *options, const char *name, const void **at, size_t *len)
{
	zval *value = zend_hash_str_find(options, name, strlen(name));
	if (value == NULL) {
		return true;
	}
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) != IS_STRING) {
		zend_type_error("hashmill: the option \"%s\" must be of type string, %s given", name, zend_zval_type_name(value));
		return false;
	}
	*at = Z_STRVAL_P(value);
	*len = Z_STRLEN_P(value);
	return true;
}

static bool is_option(const char *name)
{
	static const char *const known[] = { "key", "secret", "seed", "salt", "personal", "context", "resume_from", "length" };
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strcmp(name, known[i]) == 0) {
			return true;
		}
	}
	return false;
}

bool hashmill_with_options(hm_algorithm *a, hm_inputs *in, HashTable *options)
{
	*in = hm_inputs_none();
	zend_string *name;
	ZEND_HASH_FOREACH_STR_KEY(options, name) {
		/* A key under a misspelt name would silently be no key at all. */
		if (name == NULL || !is_option(ZSTR_VAL(name))) {
			zend_value_error("hashmill: there is no option \"%s\": key, secret, seed, salt, personal, context, resume_from and length are all", name == NULL ? "" : ZSTR_VAL(name));
			return false;
		}
	} ZEND_HASH_FOREACH_END();
	zval *seed = zend_hash_str_find(options, "seed", sizeof "seed" - 1);
	if (seed != NULL) {
		ZVAL_DEREF(seed);
		if (Z_TYPE_P(seed) != IS_LONG) {
			zend_type_error("hashmill: the option \"seed\" must be of type int, %s given", zend_zval_type_name(seed));
			return false;
		}
		if (hm_algorithm_with_seed(a, (uint64_t) Z_LVAL_P(seed), a) != HM_OK) {
			zend_value_error("hashmill: %s", hm_error_message());
			return false;
		}
	}
	zval *length = zend_hash_str_find(options, "length", sizeof "length" - 1);
	if (length != NULL) {
		ZVAL_DEREF(length);
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

/* Algorithms by the names in use, in lower case: a look-up here is faster than parsing. */
static HashTable names;

static void drop(zval *value)
{
	pefree(Z_PTR_P(value), true);
}

void hashmill_name(const char *name, const hm_algorithm *a)
{
	zend_string *lower = zend_string_init(name, strlen(name), true);
	zend_str_tolower(ZSTR_VAL(lower), ZSTR_LEN(lower));
	zend_hash_add_mem(&names, lower, (void *) a, sizeof *a);
	zend_string_release(lower);
}

void hashmill_names_enter(void)
{
	hm_algorithm a;
	char name[64];
	zend_hash_init(&names, 1024, NULL, drop, true);
	/* In PHP, crc32 is a variant of bzip2's CRC and crc32b is zlib's, whatever those names mean elsewhere. */
	if (hm_algorithm_parse("crc32-php", &a) == HM_OK) {
		hashmill_name("crc32", &a);
	}
	for (size_t i = 0; i < hm_algorithm_count() && hm_algorithm_at(i, &a) == HM_OK; i++) {
		if (hm_algorithm_name(&a, name, sizeof name) < sizeof name) {
			hashmill_name(name, &a);
		}
		size_t len;
		for (size_t k = 0; (len = hm_algorithm_alias(&a, k, name, sizeof name)) > 0; k++) {
			if (len < sizeof name) {
				hashmill_name(name, &a);
			}
		}
	}
}

void hashmill_names_leave(void)
{
	zend_hash_destroy(&names);
}

bool hashmill_parse(zend_string *name, uint32_t argument, hm_algorithm *a)
{
	const hm_algorithm *known = zend_hash_find_ptr(&names, name);
	if (known == NULL) {
		known = zend_hash_find_ptr_lc(&names, name);
	}
	if (known != NULL) {
		*a = *known;
		return true;
	}
	if (strlen(ZSTR_VAL(name)) != ZSTR_LEN(name)) {
		zend_argument_value_error(argument, "must not contain any null bytes");
		return false;
	}
	if (hm_algorithm_parse(ZSTR_VAL(name), a) != HM_OK) {
		zend_argument_value_error(argument, "must be a valid hashing algorithm: %s", hm_error_message());
		return false;
	}
	return true;
}

zend_string *hashmill_digest(const hm_algorithm *a, const hm_inputs *in, const zend_string *data, bool binary)
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
		/* Expands the second half of the text to the whole of it: what is read has not been overwritten yet. */
		php_hash_bin2hex(ZSTR_VAL(digest), raw, len);
	}
	ZSTR_VAL(digest)[ZSTR_LEN(digest)] = '\0';
	return digest;
}

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
	if (!hashmill_parse(name, 1, &a)) {
		RETURN_THROWS();
	}
	hm_inputs in = hm_inputs_none();
	const bool plain = options == NULL || zend_hash_num_elements(options) == 0;
	if (!plain && !hashmill_with_options(&a, &in, options)) {
		RETURN_THROWS();
	}
	zend_string *digest = hashmill_digest(&a, plain ? NULL : &in, data, binary);
	if (digest == NULL) {
		zend_value_error("hashmill\\hash(): %s", hm_error_message());
		RETURN_THROWS();
	}
	RETURN_NEW_STR(digest);
}

/* hashmill\hash_many(string $algo, array $messages, bool $binary = false, ?int $threads = null): array, with the keys of $messages */
ZEND_NAMED_FUNCTION(hashmill_hash_many)
{
	zend_string *name;
	HashTable *messages;
	bool binary = false, default_threads = true;
	zend_long threads = 0;
	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_STR(name)
		Z_PARAM_ARRAY_HT(messages)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(binary)
		Z_PARAM_LONG_OR_NULL(threads, default_threads)
	ZEND_PARSE_PARAMETERS_END();

	hm_algorithm a;
	if (!hashmill_parse(name, 1, &a)) {
		RETURN_THROWS();
	}
	if (!default_threads && threads < 1) {
		zend_argument_value_error(4, "must be at least 1");
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
	unsigned char *all = HASHMILL_ALLOC(count, each);
	if (all == NULL) {
		efree(where);
		return;
	}
	const hm_error e = hm_digest_many_threads(&a, default_threads ? 0 : (size_t) threads, where, count, binary ? HM_RAW : HM_HEX, all, count * each);
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
		if (HASHMILL_OUT_OF_MEMORY()) {
			break;
		}
	} ZEND_HASH_FOREACH_END();
	efree(all);
}
