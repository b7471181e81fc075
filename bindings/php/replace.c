/* hashmill.replace_builtin: PHP's own algorithms, under its names, computed by hashmill.
 *
 * An algorithm in PHP's registry cannot be replaced, so only hash() is replaced; hash_init(), hash_file() and the others
 * still use PHP's code. */

#include "php_hashmill.h"

#include "ext/hash/php_hash.h"

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
			zend_string *digest = a == NULL ? NULL : hashmill_digest(a, NULL, Z_STR_P(data), binary != NULL && Z_TYPE_P(binary) == IS_TRUE);
			if (digest != NULL) {
				RETURN_NEW_STR(digest);
			}
		}
	}
	/* Options, other names, invalid arguments. */
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

/* Runs before anything of ours is in the registry. */
void hashmill_replace_enter(bool wanted)
{
	zend_hash_init(&builtin, 64, NULL, drop, true);
	if (!wanted) {
		return;
	}
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

void hashmill_replace_leave(void)
{
	if (plain_hash != NULL) {
		zend_function *f = zend_hash_str_find_ptr(CG(function_table), "hash", sizeof "hash" - 1);
		if (f != NULL && f->internal_function.handler == replaced_hash) {
			f->internal_function.handler = plain_hash;
		}
	}
	zend_hash_destroy(&builtin);
}

unsigned hashmill_replaced_count(void)
{
	return zend_hash_num_elements(&builtin);
}
