/* A wall clock that is wrong by YAWC_WALL seconds; the monotonic clock stays as it is. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long wrong_by(void) {
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
