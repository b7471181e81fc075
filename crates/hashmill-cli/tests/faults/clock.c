/* A computer whose clock was never set: it is 1970. The call goes to the kernel itself: whoever asks libc for its function (dlsym) is
   called again by allocators that look at the clock. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t) {
    int result = (int)syscall(SYS_clock_gettime, id, t);
    if (result == 0 && id == CLOCK_REALTIME) t->tv_sec = 1000;
    return result;
}
