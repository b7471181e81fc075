/* The extension hashmill: every message digest and checksum in PHP's own hash functions. */

#ifndef PHP_HASHMILL_H
#define PHP_HASHMILL_H

#include "php.h"

#include <hashmill.h>

extern zend_module_entry hashmill_module_entry;
#define phpext_hashmill_ptr &hashmill_module_entry

#define PHP_HASHMILL_VERSION "0.1.0"

/* Whether the memory limit has been reached and the error is still pending: some builds of PHP (Debian's) raise it only
 * when a function has returned. */
#ifdef ZEND_HAS_OOM
#define HASHMILL_OUT_OF_MEMORY() ZEND_HAS_OOM()
/* Null if the limit is reached: the error is raised when the function has returned. */
#define HASHMILL_ALLOC(n, size) safe_femalloc(n, size, 0, true)
#else
#define HASHMILL_OUT_OF_MEMORY() false
#define HASHMILL_ALLOC(n, size) safe_emalloc(n, size, 0)
#endif

/* registry.c: PHP's registry of hash functions. */
void hashmill_registry_enter(void);
void hashmill_registry_leave(void);
unsigned hashmill_registered_count(void);

/* replace.c: hash() on our code, if requested. */
void hashmill_replace_enter(bool wanted);
void hashmill_replace_leave(void);
unsigned hashmill_replaced_count(void);

/* functions.c: the names of algorithms, hash() and hash_many(). */
void hashmill_names_enter(void);
void hashmill_names_leave(void);
/* Registers another name for an algorithm, unless it is already known. */
void hashmill_name(const char *name, const hm_algorithm *a);
ZEND_NAMED_FUNCTION(hashmill_hash);
ZEND_NAMED_FUNCTION(hashmill_hash_many);
/* The algorithm named by an argument; if there is none, false with an exception that suggests the nearest name. */
bool hashmill_parse(zend_string *name, uint32_t argument, hm_algorithm *a);
/* Applies the options array to an algorithm. False with an exception. */
bool hashmill_with_options(hm_algorithm *a, hm_inputs *in, HashTable *options);
/* The digest of a message as a string, by hm_digest or with inputs; null on failure. */
zend_string *hashmill_digest(const hm_algorithm *a, const hm_inputs *in, const zend_string *data, bool binary);

/* files.c: hash_files(). */
void hashmill_files_enter(void);
ZEND_NAMED_FUNCTION(hashmill_hash_files);

#endif
