/* Makes system calls of a program fail on purpose, for tests: LD_PRELOAD=shim.so FAULTS='RULE;RULE…'.
 *
 * A rule is OP,TEXT,BYTE,ERRNO,TIMES. It strikes at calls of the kind OP that reach byte BYTE of a file whose path
 * contains TEXT, at most TIMES times (-1: always). OP is
 *   read, write, fsync, syncfs, rename, alloc (fallocate)
 *            the call fails with the error number ERRNO
 *   syncdir  fsync of a folder fails with ERRNO
 *   short    a read returns at most BYTE bytes, unless its buffer and offset are aligned as O_DIRECT requires
 *   flip     a write silently flips one bit of byte BYTE
 *   run      the command in FAULT_RUN runs after an fsync
 *   grow     a byte is appended to the file before byte BYTE is read
 *   cut      the file is truncated to BYTE bytes when that byte has been mapped
 * For fsync, syncfs, alloc, syncdir, run and rename, BYTE has no meaning: use 0.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

struct rule {
    char op[8], text[256];
    long long byte;
    int error, times;
};

static struct rule rules[16];
static int count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void parse(void)
{
    const char *text = getenv("FAULTS");
    while (text && *text && count < 16) {
        struct rule *r = &rules[count];
        if (sscanf(text, "%7[^,],%255[^,],%lld,%d,%d", r->op, r->text, &r->byte, &r->error, &r->times) == 5)
            count++;
        text = strchr(text, ';');
        if (text)
            text++;
    }
}

/* Returns the rule that strikes at an operation on bytes FROM to TO of a file, or NULL. */
static struct rule *strikes(const char *op, const char *path, long long from, long long to)
{
    struct rule *found = NULL;
    pthread_once(&once, parse);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count && !found; i++) {
        struct rule *r = &rules[i];
        int there = !strcmp(op, "short") || (from <= r->byte && r->byte < to);
        if (!strcmp(r->op, op) && r->times != 0 && there && strstr(path, r->text)) {
            if (r->times > 0)
                r->times--;
            found = r;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static const char *path_of(int fd, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, 4095);
    path[n < 0 ? 0 : n] = 0;
    return path;
}

#define NEXT(name) static __typeof__(name) *next; if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define PREAD(name, off)                                                                                               \
    ssize_t name(int fd, void *buffer, size_t n, off at)                                                               \
    {                                                                                                                  \
        NEXT(name);                                                                                                    \
        char path[4096];                                                                                               \
        struct rule *r = strikes("read", path_of(fd, path), at, at + (long long)n);                                    \
        if (r) {                                                                                                       \
            if (at >= r->byte) {                                                                                       \
                errno = r->error;                                                                                      \
                return -1;                                                                                             \
            }                                                                                                          \
            if (r->times >= 0)                                                                                         \
                r->times++; /* What is before the byte is still read; the next call fails. */                          \
            n = r->byte - at;                                                                                          \
        }                                                                                                              \
        r = strikes("short", path, at, at + (long long)n);                                                             \
        if (r && n > (size_t)r->byte && !((size_t)at % 4096 == 0 && (size_t)buffer % 4096 == 0))                       \
            n = r->byte;                                                                                               \
        r = strikes("grow", path, at, at + (long long)n);                                                              \
        if (r) {                                                                                                       \
            int other = open(path, O_WRONLY | O_APPEND);                                                               \
            if (other >= 0 && write(other, "x", 1) == 1)                                                               \
                close(other);                                                                                          \
        }                                                                                                              \
        return next(fd, buffer, n, at);                                                                                \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PWRITE(name, off)                                                                                              \
    ssize_t name(int fd, const void *buffer, size_t n, off at)                                                         \
    {                                                                                                                  \
        NEXT(name);                                                                                                    \
        char path[4096];                                                                                               \
        struct rule *r = strikes("write", path_of(fd, path), at, at + (long long)n);                                   \
        if (r) {                                                                                                       \
            errno = r->error;                                                                                          \
            return -1;                                                                                                 \
        }                                                                                                              \
        r = strikes("flip", path, at, at + (long long)n);                                                              \
        if (r) {                                                                                                       \
            char *wrong = malloc(n);                                                                                   \
            if (!wrong)                                                                                                \
                abort();                                                                                               \
            memcpy(wrong, buffer, n);                                                                                  \
            wrong[r->byte - at] ^= 4;                                                                                  \
            ssize_t done = next(fd, wrong, n, at);                                                                     \
            free(wrong);                                                                                               \
            return done;                                                                                               \
        }                                                                                                              \
        return next(fd, buffer, n, at);                                                                                \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int fsync(int fd)
{
    NEXT(fsync);
    char path[4096];
    struct stat meta;
    int folder = fstat(fd, &meta) == 0 && S_ISDIR(meta.st_mode);
    struct rule *r = strikes(folder ? "syncdir" : "fsync", path_of(fd, path), 0, 1 + (1LL << 62));
    if (r) {
        errno = r->error;
        return -1;
    }
    int done = next(fd);
    r = strikes("run", path, 0, 1 + (1LL << 62));
    if (r && done == 0) {
        const char *command = getenv("FAULT_RUN");
        unsetenv("LD_PRELOAD");
        if (!command || system(command) != 0)
            abort();
    }
    return done;
}

int syncfs(int fd)
{
    NEXT(syncfs);
    char path[4096];
    struct rule *r = strikes("syncfs", path_of(fd, path), 0, 1 + (1LL << 62));
    if (r) {
        errno = r->error;
        return -1;
    }
    return next(fd);
}

#define FALLOCATE(name, offset)                                                                                        \
    int name(int fd, int mode, offset from, offset n)                                                                  \
    {                                                                                                                  \
        NEXT(name);                                                                                                    \
        char path[4096];                                                                                               \
        struct rule *r = strikes("alloc", path_of(fd, path), 0, 1 + (1LL << 62));                                      \
        if (r) {                                                                                                       \
            errno = r->error;                                                                                          \
            return -1;                                                                                                 \
        }                                                                                                              \
        return next(fd, mode, from, n);                                                                                \
    }
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

int rename(const char *from, const char *to)
{
    NEXT(rename);
    struct rule *r = strikes("rename", to, 0, 1 + (1LL << 62));
    if (r) {
        errno = r->error;
        return -1;
    }
    return next(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    NEXT(renameat);
    char path[8192];
    path_of(to_folder, path);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", to);
    struct rule *r = strikes("rename", path, 0, 1 + (1LL << 62));
    if (r) {
        errno = r->error;
        return -1;
    }
    return next(from_folder, from, to_folder, to);
}

void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t at)
{
    NEXT(mmap);
    void *start = next(address, n, protection, flags, fd, at);
    if (fd < 0 || start == MAP_FAILED)
        return start;
    char path[4096];
    struct rule *r = strikes("cut", path_of(fd, path), at, at + (long long)n);
    if (r && truncate(path, r->byte) != 0)
        abort();
    return start;
}
