/* fsync and fdatasync of databases (SQLite's, and PostgreSQL's log of what it commits) as a slow or a failing disk has
   them. What it does says the file YAWC_DISK names:

   slow SECONDS      each call takes so long, or until the file is gone
   fail FIRST MANY   the call number FIRST from now on, of whatever process, and those after it, MANY in all, give EIO
   anything else     nothing */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_database(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".sqlite") || strstr(path, "/pg_wal/");
}

/* Returns whether this call fails; else returns after the time it takes. */
static int meets_trouble(int file) {
    const char *control = getenv("YAWC_DISK");
    double began = now(), seconds;
    long first, many;
    int fails = 0;
    if (!control || !is_database(file)) return 0;
    int orders = open(control, O_RDWR | O_CLOEXEC);
    if (orders < 0) return 0;
    char text[64] = "";
    flock(orders, LOCK_EX);
    ssize_t length = pread(orders, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = 0;
    if (sscanf(text, "fail %ld %ld", &first, &many) == 2 && many > 0) {
        fails = first <= 1;
        int size = snprintf(text, sizeof text, "fail %ld %ld\n", fails ? 1 : first - 1, fails ? many - 1 : many);
        if (ftruncate(orders, 0) < 0 || pwrite(orders, text, (size_t)size, 0) != size) fails = 1;
    }
    flock(orders, LOCK_UN);
    close(orders);
    if (sscanf(text, "slow %lf", &seconds) == 1)
        while (now() - began < seconds && access(control, F_OK) == 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    return fails;
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    if (meets_trouble(file)) return errno = EIO, -1;
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    if (meets_trouble(file)) return errno = EIO, -1;
    return next(file);
}
