/* The extension hashmill: every message digest and checksum in PHP's own hash functions. */

#ifndef PHP_HASHMILL_H
#define PHP_HASHMILL_H

#include "php.h"

extern zend_module_entry hashmill_module_entry;
#define phpext_hashmill_ptr &hashmill_module_entry

#define PHP_HASHMILL_VERSION "0.1.0"

#endif
