/* The limit for a key's echo: a TCP server that forks per connection and sends back what it reads.

   echo PORT     0 takes a free port; the port is printed once callers can connect. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? atoi(argv[1]) : 0)};
    socklen_t length = sizeof at;
    int one = 1, server = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    signal(SIGCHLD, SIG_IGN);
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 512) ||
        getsockname(server, (struct sockaddr *)&at, &length)) {
        perror("echo");
        return 1;
    }
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    for (;;) {
        int caller = accept(server, NULL, NULL);
        if (caller < 0)
            continue;
        if (fork() == 0) {
            char buffer[4096];
            ssize_t got;
            close(server);
            setsockopt(caller, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            while ((got = read(caller, buffer, sizeof buffer)) > 0)
                if (write(caller, buffer, got) != got)
                    break;
            _exit(0);
        }
        close(caller);
    }
}
