/* Raises the signal HASHMILL_TEST_SIGNAL when a regular file of HASHMILL_TEST_SIZE bytes is about to be synced for the
   HASHMILL_TEST_AT-th time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

int fsync(int fd) {
    static int (*real)(int);
    static int count;
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    const char *at = getenv("HASHMILL_TEST_AT"), *size = getenv("HASHMILL_TEST_SIZE"), *number = getenv("HASHMILL_TEST_SIGNAL");
    struct stat s;
    if (at && size && number && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == atoll(size) &&
        __sync_add_and_fetch(&count, 1) == atoi(at)) {
        /* This signals the calling thread, so its handler has run when the call returns. */
        raise(atoi(number));
    }
    return real(fd);
}
