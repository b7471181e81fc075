/* hashmill\hash_files(): many files at once. */

#include "php_hashmill.h"

#include "Zend/zend_exceptions.h"
#include "Zend/zend_interfaces.h"
#include "ext/hash/php_hash.h"
#include "ext/standard/file.h"
#include "ext/spl/spl_exceptions.h"

/* One call of hash_files(). */
typedef struct {
	/* For each algorithm: itself, and its name as the caller wrote it. */
	hm_algorithm *algorithms;
	zend_string **names;
	size_t algorithm_count;
	/* The caller gave a single name, so each result is a string, not an array. */
	bool single;
	/* What the C library is to hash: the paths for the system, and the keys of their results. */
	const char **paths;
	zend_string **keys;
	size_t count, room;
	zval *results;
	zend_fcall_info progress;
	zend_fcall_info_cache progress_cache;
	/* PHP has jumped out of a callback, as it does when memory or time runs out. The jump is resumed when our threads
	 * are gone. */
	bool bailed;
} job;

static zend_class_entry *file_error;

/* The placeholder for a missing result. */
static void set_error(const job *j, zend_string *path, const char *why)
{
	zval error;
	object_init_ex(&error, file_error);
	zend_string *text = zend_string_concat3(ZSTR_VAL(path), ZSTR_LEN(path), ": ", 2, why, strlen(why));
	zend_update_property_str(zend_ce_exception, Z_OBJ(error), ZEND_STRL("message"), text);
	zend_string_release(text);
	zend_update_property_str(file_error, Z_OBJ(error), ZEND_STRL("path"), path);
	zend_symtable_update(Z_ARRVAL_P(j->results), path, &error);
}

/* The digests, one after the other. */
static void set_digests(const job *j, zend_string *path, const unsigned char *digests)
{
	zval all, digest;
	if (!j->single) {
		array_init_size(&all, (uint32_t) j->algorithm_count);
	}
	for (size_t i = 0; i < j->algorithm_count; i++) {
		const size_t len = hm_algorithm_digest_len(&j->algorithms[i]);
		zend_string *hex = zend_string_safe_alloc(len, 2, 0, 0);
		php_hash_bin2hex(ZSTR_VAL(hex), digests, len);
		ZSTR_VAL(hex)[2 * len] = '\0';
		digests += len;
		ZVAL_STR(&digest, hex);
		if (!j->single) {
			zend_symtable_update(Z_ARRVAL(all), j->names[i], &digest);
		}
	}
	zend_symtable_update(Z_ARRVAL_P(j->results), path, j->single ? &digest : &all);
}

/* Runs `call`, from which PHP must not jump past the C library's threads. */
#define GUARDED(j, call)          \
	zend_try {                    \
		call;                     \
	} zend_catch {                \
		(j)->bailed = true;       \
	} zend_end_try()

static int done(void *user, const hm_file *file)
{
	job *j = user;
	GUARDED(j, {
		if (file->error == HM_OK) {
			set_digests(j, j->keys[file->index], file->digests);
		} else {
			set_error(j, j->keys[file->index], file->message);
		}
	});
	return j->bailed || HASHMILL_OUT_OF_MEMORY() || EG(exception) != NULL;
}

/* Calls the caller's function. False if it wants to stop. */
static bool report(job *j, const hm_files_progress *p)
{
	zval arguments[4], answer;
	ZVAL_LONG(&arguments[0], (zend_long) p->bytes);
	ZVAL_LONG(&arguments[1], (zend_long) p->bytes_total);
	ZVAL_LONG(&arguments[2], (zend_long) p->files);
	ZVAL_LONG(&arguments[3], (zend_long) p->files_total);
	ZVAL_UNDEF(&answer);
	j->progress.retval = &answer;
	j->progress.params = arguments;
	j->progress.param_count = 4;
	const bool called = zend_call_function(&j->progress, &j->progress_cache) == SUCCESS && EG(exception) == NULL;
	const bool more = called && Z_TYPE(answer) != IS_FALSE;
	zval_ptr_dtor(&answer);
	return more;
}

static int tick(void *user, const hm_files_progress *p)
{
	job *j = user;
	volatile bool more = true;
	GUARDED(j, {
		/* A signal that the script handles, or its time limit. */
		if (zend_atomic_bool_load_ex(&EG(vm_interrupt))) {
			zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
			if (zend_atomic_bool_load_ex(&EG(timed_out))) {
				zend_timeout();
			} else if (zend_interrupt_function != NULL) {
				zend_interrupt_function(EG(current_execute_data));
			}
		}
		more = EG(exception) == NULL && (j->progress.size == 0 || report(j, p));
	});
	return j->bailed || HASHMILL_OUT_OF_MEMORY() || !more;
}

/* What PHP opens through a stream wrapper: http://, phar://, data:. */
static void hash_stream(job *j, zend_string *path)
{
	php_stream *stream = php_stream_open_wrapper_ex(ZSTR_VAL(path), "rb", 0, NULL, FG(default_context));
	if (stream == NULL) {
		if (EG(exception) == NULL) {
			set_error(j, path, "cannot be opened");
		}
		return;
	}
	hm_hasher **hashers = safe_emalloc(j->algorithm_count, sizeof *hashers, 0);
	size_t total = 0;
	for (size_t i = 0; i < j->algorithm_count; i++) {
		hashers[i] = NULL;
		hm_hasher_new(&j->algorithms[i], NULL, &hashers[i]);
		total += hm_algorithm_digest_len(&j->algorithms[i]);
	}
	unsigned char *digests = emalloc(total);
	char buffer[8192];
	ssize_t n;
	while ((n = php_stream_read(stream, buffer, sizeof buffer)) > 0) {
		for (size_t i = 0; i < j->algorithm_count; i++) {
			hm_hasher_update(hashers[i], buffer, (size_t) n);
		}
	}
	hm_error e = HM_OK;
	unsigned char *at = digests;
	for (size_t i = 0; i < j->algorithm_count; i++) {
		const size_t len = hm_algorithm_digest_len(&j->algorithms[i]);
		const hm_error one = hm_hasher_final(hashers[i], at, len);
		e = e == HM_OK ? one : e;
		at += len;
		if (hashers[i] != NULL) {
			hm_hasher_free(hashers[i]);
		}
	}
	php_stream_close(stream);
	if (EG(exception) == NULL) {
		if (n < 0 || e != HM_OK) {
			set_error(j, path, n < 0 ? "cannot be read" : hm_error_message());
		} else {
			set_digests(j, path, digests);
		}
	}
	efree(digests);
	efree(hashers);
}

/* Takes one path from the caller. False with an exception. */
static bool take_path(job *j, zval *value)
{
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) != IS_STRING && (Z_TYPE_P(value) != IS_OBJECT || !zend_class_implements_interface(Z_OBJCE_P(value), zend_ce_stringable))) {
		zend_argument_type_error(2, "must be of paths, which are strings or SplFileInfo, %s found", zend_zval_type_name(value));
		return false;
	}
	zend_string *path = zval_get_string(value);
	if (EG(exception) != NULL) {
		zend_string_release(path);
		return false;
	}
	/* Reserves its place in the result, which is in the order of the paths; for a repeated path there is nothing left
	 * to do. */
	zval nothing;
	ZVAL_NULL(&nothing);
	if (zend_symtable_exists(Z_ARRVAL_P(j->results), path)) {
		zend_string_release(path);
		return true;
	}
	zend_symtable_update(Z_ARRVAL_P(j->results), path, &nothing);
	const char *plain = ZSTR_VAL(path);
	if (ZSTR_LEN(path) == 0) {
		set_error(j, path, "a path must not be empty");
	} else if (strlen(plain) != ZSTR_LEN(path)) {
		set_error(j, path, "a path must not contain any null bytes");
	} else {
		php_stream_wrapper *wrapper = php_stream_locate_url_wrapper(plain, &plain, 0);
		if (wrapper != &php_plain_files_wrapper) {
			hash_stream(j, path);
		} else if (php_check_open_basedir_ex(plain, 0) != 0) {
			set_error(j, path, "open_basedir does not allow it");
		} else {
			if (j->count == j->room) {
				j->room = j->room ? 2 * j->room : 64;
				j->paths = safe_erealloc(j->paths, j->room, sizeof *j->paths, 0);
				j->keys = safe_erealloc(j->keys, j->room, sizeof *j->keys, 0);
			}
			/* Every thread of a threaded server has its own working directory, which the system does not know about. */
#ifdef ZTS
			char *expanded = expand_filepath(plain, NULL);
			j->paths[j->count] = expanded != NULL ? expanded : estrdup(plain);
#else
			j->paths[j->count] = plain;
#endif
			j->keys[j->count++] = path;
			return EG(exception) == NULL && !HASHMILL_OUT_OF_MEMORY();
		}
	}
	zend_string_release(path);
	return EG(exception) == NULL && !HASHMILL_OUT_OF_MEMORY();
}

/* Takes all paths from an array or anything else that foreach accepts. False with an exception. */
static bool take_paths(job *j, zval *paths)
{
	if (Z_TYPE_P(paths) == IS_ARRAY) {
		zval *value;
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(paths), value) {
			if (!take_path(j, value)) {
				return false;
			}
		} ZEND_HASH_FOREACH_END();
		return true;
	}
	zend_class_entry *ce = Z_OBJCE_P(paths);
	zend_object_iterator *i = ce->get_iterator(ce, paths, 0);
	if (i == NULL || EG(exception) != NULL) {
		return false;
	}
	i->index = 0;
	if (i->funcs->rewind != NULL) {
		i->funcs->rewind(i);
	}
	while (EG(exception) == NULL && i->funcs->valid(i) == SUCCESS) {
		zval *value = EG(exception) == NULL ? i->funcs->get_current_data(i) : NULL;
		if (value == NULL || EG(exception) != NULL || !take_path(j, value)) {
			break;
		}
		i->index++;
		i->funcs->move_forward(i);
	}
	zend_iterator_dtor(i);
	return EG(exception) == NULL;
}

/* Takes one algorithm from the caller. False with an exception. */
static bool take_algorithm(job *j, zend_string *name)
{
	if (!hashmill_parse(name, 1, &j->algorithms[j->algorithm_count])) {
		return false;
	}
	/* An array element may be a reference, which a callback could change. */
	j->names[j->algorithm_count++] = zend_string_copy(name);
	return true;
}

static bool take_algorithms(job *j, zend_string *name, HashTable *names)
{
	const uint32_t count = names != NULL ? zend_hash_num_elements(names) : 1;
	if (count == 0) {
		zend_argument_value_error(1, "must name at least one algorithm");
		return false;
	}
	j->algorithms = safe_emalloc(count, sizeof *j->algorithms, 0);
	j->names = safe_emalloc(count, sizeof *j->names, 0);
	if (names == NULL) {
		j->single = true;
		return take_algorithm(j, name);
	}
	zval *value;
	ZEND_HASH_FOREACH_VAL(names, value) {
		ZVAL_DEREF(value);
		if (Z_TYPE_P(value) != IS_STRING) {
			zend_argument_type_error(1, "must be a string or an array of strings, %s found", zend_zval_type_name(value));
			return false;
		}
		if (!take_algorithm(j, Z_STR_P(value))) {
			return false;
		}
	} ZEND_HASH_FOREACH_END();
	return true;
}

static void hash_all(job *j, size_t threads)
{
	const hm_algorithm **algorithms = safe_emalloc(j->algorithm_count, sizeof *algorithms, 0);
	for (size_t i = 0; i < j->algorithm_count; i++) {
		algorithms[i] = &j->algorithms[i];
	}
	const hm_error e = hm_digest_files(algorithms, j->algorithm_count, j->paths, j->count, threads, done, tick, j);
	efree(algorithms);
	if (j->bailed) {
		zend_bailout();
	}
	if (e == HM_CANCELLED) {
		/* Files that were not finished are left out of the result. */
		for (size_t i = 0; i < j->count; i++) {
			const zval *result = zend_symtable_find(Z_ARRVAL_P(j->results), j->keys[i]);
			if (result != NULL && Z_TYPE_P(result) == IS_NULL) {
				zend_symtable_del(Z_ARRVAL_P(j->results), j->keys[i]);
			}
		}
	} else if (e != HM_OK && EG(exception) == NULL) {
		zend_throw_error(NULL, "hashmill\\hash_files(): %s", hm_error_message());
	}
}

/* hashmill\hash_files(string|array $algos, iterable $paths, ?int $threads = null, ?callable $progress = null): array */
ZEND_NAMED_FUNCTION(hashmill_hash_files)
{
	zend_string *name = NULL;
	HashTable *names = NULL;
	zval *paths;
	zend_long threads = 0;
	bool default_threads = true;
	job j = { .results = return_value };
	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_ARRAY_HT_OR_STR(names, name)
		Z_PARAM_ITERABLE(paths)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(threads, default_threads)
		Z_PARAM_FUNC_OR_NULL(j.progress, j.progress_cache)
	ZEND_PARSE_PARAMETERS_END();

	if (!default_threads && threads < 1) {
		zend_argument_value_error(3, "must be at least 1");
		RETURN_THROWS();
	}
	array_init(return_value);
	if (take_algorithms(&j, name, names) && take_paths(&j, paths) && j.count > 0) {
		hash_all(&j, default_threads ? 0 : (size_t) threads);
	}
	for (size_t i = 0; i < j.count; i++) {
#ifdef ZTS
		efree((char *) j.paths[i]);
#endif
		zend_string_release(j.keys[i]);
	}
	if (j.paths != NULL) {
		efree(j.paths);
		efree(j.keys);
	}
	for (size_t i = 0; i < j.algorithm_count; i++) {
		zend_string_release(j.names[i]);
	}
	if (j.algorithms != NULL) {
		efree(j.algorithms);
		efree(j.names);
	}
	if (EG(exception) != NULL) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
	}
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_get_path, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

static ZEND_NAMED_FUNCTION(file_error_get_path)
{
	zval rv;
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_COPY(zend_read_property(file_error, Z_OBJ_P(ZEND_THIS), ZEND_STRL("path"), 1, &rv));
}

static const zend_function_entry methods[] = {
	ZEND_RAW_FENTRY("getPath", file_error_get_path, arginfo_get_path, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

void hashmill_files_enter(void)
{
	zend_class_entry ce;
	INIT_NS_CLASS_ENTRY(ce, "hashmill", "FileError", methods);
	file_error = zend_register_internal_class_ex(&ce, spl_ce_RuntimeException);
	file_error->ce_flags |= ZEND_ACC_FINAL;
	zend_declare_property_string(file_error, ZEND_STRL("path"), "", ZEND_ACC_PRIVATE);
}
