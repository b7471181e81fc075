/* The extension hashmill: the module itself. registry.c has what PHP's own functions call, functions.c and files.c the
 * functions in the namespace hashmill, replace.c implements hashmill.replace_builtin. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php_hashmill.h"

#include "ext/standard/info.h"
#include "php_ini.h"

PHP_INI_BEGIN()
	PHP_INI_ENTRY("hashmill.replace_builtin", "0", PHP_INI_SYSTEM, NULL)
PHP_INI_END()

/* As in hashmill.stub.php. */
ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_hash, 0, 2, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, algo, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, binary, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_hash_many, 0, 2, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, algo, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, messages, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, binary, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, threads, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_hash_files, 0, 2, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, algos, MAY_BE_STRING | MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, paths, Traversable, MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, threads, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, progress, IS_CALLABLE, 1, "null")
ZEND_END_ARG_INFO()

static const zend_function_entry functions[] = {
	ZEND_NS_RAW_FENTRY("hashmill", "hash", hashmill_hash, arginfo_hash, 0)
	ZEND_NS_RAW_FENTRY("hashmill", "hash_many", hashmill_hash_many, arginfo_hash_many, 0)
	ZEND_NS_RAW_FENTRY("hashmill", "hash_files", hashmill_hash_files, arginfo_hash_files, 0)
	ZEND_FE_END
};

static PHP_MINIT_FUNCTION(hashmill)
{
	if (strcmp(hm_version(), HM_VERSION) != 0) {
		zend_error(E_CORE_WARNING, "hashmill: compiled for libhashmill %s, and %s is here: build the extension again", HM_VERSION, hm_version());
		return FAILURE;
	}
	REGISTER_INI_ENTRIES();
	hashmill_names_enter();
	hashmill_replace_enter(INI_BOOL("hashmill.replace_builtin"));
	hashmill_registry_enter();
	hashmill_files_enter();
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(hashmill)
{
	hashmill_registry_leave();
	hashmill_replace_leave();
	hashmill_names_leave();
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(hashmill)
{
	char text[32];
	php_info_print_table_start();
	php_info_print_table_row(2, "hashmill", "enabled");
	php_info_print_table_row(2, "libhashmill", hm_version());
	snprintf(text, sizeof text, "%u", hashmill_registered_count());
	php_info_print_table_row(2, "algorithms beside PHP's own", text);
	snprintf(text, sizeof text, "%u", hashmill_replaced_count());
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
