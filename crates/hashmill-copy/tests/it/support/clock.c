/* A computer whose clock was never set: the year is 1970. The system call is made directly, since finding libc's
   function with dlsym may allocate, and allocators that look at the clock would call this function again. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t) {
    int result = (int)syscall(SYS_clock_gettime, id, t);
    if (result == 0 && id == CLOCK_REALTIME) t->tv_sec = 1000;
    return result;
}
