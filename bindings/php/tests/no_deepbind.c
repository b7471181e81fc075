/* Preloaded for the address sanitizer: PHP opens extensions with RTLD_DEEPBIND, with which the sanitizer does not run. */

#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *path, int mode)
{
	void *(*next)(const char *, int) = (void *(*)(const char *, int)) dlsym(RTLD_NEXT, "dlopen");
	return next(path, mode & ~RTLD_DEEPBIND);
}
