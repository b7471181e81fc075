/* Preloaded for AddressSanitizer, which does not run with RTLD_DEEPBIND, the flag with which PHP opens extensions. */

#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *path, int mode)
{
	void *(*next)(const char *, int) = (void *(*)(const char *, int)) dlsym(RTLD_NEXT, "dlopen");
	return next(path, mode & ~RTLD_DEEPBIND);
}
