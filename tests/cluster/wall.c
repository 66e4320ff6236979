/* A wall clock that is wrong by YAWC_WALL seconds, or by those that the file YAWC_WALL_FILE has at the moment, as a
   long; the monotonic clock stays as it is. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static long wrong_by(void) {
    static volatile long *file;
    const char *name = getenv("YAWC_WALL_FILE");
    if (name && !file) {
        int at = open(name, O_RDONLY | O_CLOEXEC);
        void *there = at < 0 ? MAP_FAILED : mmap(NULL, sizeof *file, PROT_READ, MAP_SHARED, at, 0);
        if (there != MAP_FAILED) file = there;
    }
    if (file) return *file;
    const char *seconds = getenv("YAWC_WALL");
    return seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = next(which, now);
    if (!failed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong_by();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static int (*next)(struct timeval *, void *);
    if (!next) next = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int failed = next(now, zone);
    if (!failed) now->tv_sec += wrong_by();
    return failed;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
