/* A signal at an exact moment: when the file number HASHMILL_TEST_AT of HASHMILL_TEST_SIZE bytes is about to be synced. */
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
        /* To this thread: its handler has run when this returns. */
        raise(atoi(number));
    }
    return real(fd);
}
