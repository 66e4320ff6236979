/* The limit for a broadcast: a number in shared memory, SIGUSR1 to every receiver, each notes when it has read it.

   broadcast RECEIVERS ROUNDS WAIT     prints, a line a round, the nanoseconds from the post to the last receiver's note.

   WAIT is how a receiver waits: "ppoll", for the signal or a descriptor, as a session must that has a caller's socket;
   or "sigwait", for the signal alone, which is less work for the kernel. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct area {
    volatile uint64_t posted;
    struct {
        volatile uint64_t read, at;
    } receiver[1024];
};

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void ring(int number)
{
    (void)number;
}

static void receive(struct area *area, int me, const sigset_t *bell, int polls)
{
    int which, line[2];
    sigset_t nothing;
    struct sigaction look = {.sa_handler = ring};
    sigemptyset(&nothing);
    if (pipe(line) || (polls && sigaction(SIGUSR1, &look, NULL)))
        _exit(1);
    struct pollfd caller = {.fd = line[0], .events = POLLIN};
    area->receiver[me].at = 1;
    for (;;) {
        if (polls)
            ppoll(&caller, 1, NULL, &nothing);
        else
            sigwait(bell, &which);
        uint64_t posted = area->posted;
        area->receiver[me].at = now();
        __sync_synchronize();
        area->receiver[me].read = posted;
    }
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    int receivers = atoi(argv[1]), rounds = atoi(argv[2]), polls = !strcmp(argv[3], "ppoll");
    pid_t pids[1024];
    sigset_t bell;
    struct timespec rest = {0, 200000};
    struct area *area = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (receivers > 1024 || area == MAP_FAILED)
        return 1;
    sigemptyset(&bell);
    sigaddset(&bell, SIGUSR1);
    sigprocmask(SIG_BLOCK, &bell, NULL);
    for (int i = 0; i < receivers; i++)
        if ((pids[i] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            receive(area, i, &bell, polls);
        }
    for (int i = 0; i < receivers; i++)
        while (!area->receiver[i].at)
            nanosleep(&rest, NULL);
    for (int round = 1; round <= rounds; round++) {
        uint64_t started = now(), last = 0;
        area->posted = round;
        __sync_synchronize();
        for (int i = 0; i < receivers; i++)
            kill(pids[i], SIGUSR1);
        for (int i = 0; i < receivers; i++) {
            while (area->receiver[i].read != (uint64_t)round)
                nanosleep(&rest, NULL);
            if (area->receiver[i].at > last)
                last = area->receiver[i].at;
        }
        printf("%llu\n", (unsigned long long)(last - started));
    }
    for (int i = 0; i < receivers; i++)
        kill(pids[i], SIGKILL);
    while (wait(NULL) > 0)
        ;
    return 0;
}
