/* Runs a program and makes its system calls fail, wait or lie: inject 'RULE;RULE…' PROGRAM ARGUMENT…
 *
 * A preloaded library sees only calls that go through libc. This program sees every call, raw ones too, since it uses
 * seccomp's user notification.
 *
 * A rule is CALL,TEXT,SKIP,TIMES,WHAT: of the calls of kind CALL on paths that contain TEXT, the first SKIP are let
 * through, and WHAT happens to the next TIMES (-1: all of them). CALL is
 *   open close closedir read write fsync syncdir syncfs rename link unlink list (getdents64) data (lseek with
 *   SEEK_DATA) thread
 * and WHAT is
 *   eN    the call fails with the error number N
 *   vN    the call is not made and returns N
 *   kill  the program is killed before the call is made
 *   run   the command in FAULT_RUN is run first (without faults), then the call is made
 *   log   "CALL PATH" is appended to the file FAULT_LOG, and the next rule is looked at
 *
 * The exit status is the program's, 128 plus the signal that killed it, or 125 if it could not be run this way.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where a call's path comes from: an argument (BELOW: relative to the folder whose descriptor is the argument before
   it), or a descriptor. */
enum place { NOTHING, DESCRIPTOR, PATH, BELOW };

struct call {
    const char *kind;
    int number;
    enum place place;
    int argument;
};

static const struct call calls[] = {
    { "open", SYS_openat, BELOW, 1 },
    { "open", SYS_openat2, BELOW, 1 },
    { "close", SYS_close, DESCRIPTOR, 0 },
    { "closedir", SYS_close, DESCRIPTOR, 0 },
    { "read", SYS_read, DESCRIPTOR, 0 },
    { "read", SYS_pread64, DESCRIPTOR, 0 },
    { "read", SYS_readv, DESCRIPTOR, 0 },
    { "read", SYS_preadv, DESCRIPTOR, 0 },
    { "write", SYS_write, DESCRIPTOR, 0 },
    { "write", SYS_pwrite64, DESCRIPTOR, 0 },
    { "write", SYS_writev, DESCRIPTOR, 0 },
    { "write", SYS_pwritev, DESCRIPTOR, 0 },
    { "fsync", SYS_fsync, DESCRIPTOR, 0 },
    { "fsync", SYS_fdatasync, DESCRIPTOR, 0 },
    { "syncdir", SYS_fsync, DESCRIPTOR, 0 },
    { "syncdir", SYS_fdatasync, DESCRIPTOR, 0 },
    { "syncfs", SYS_syncfs, DESCRIPTOR, 0 },
    { "syncfs", SYS_sync, NOTHING, 0 },
    { "rename", SYS_renameat, BELOW, 3 },
    { "rename", SYS_renameat2, BELOW, 3 },
    { "link", SYS_linkat, BELOW, 3 },
    { "unlink", SYS_unlinkat, BELOW, 1 },
    { "list", SYS_getdents64, DESCRIPTOR, 0 },
    { "data", SYS_lseek, DESCRIPTOR, 0 },
    { "thread", SYS_clone, NOTHING, 0 },
    { "thread", SYS_clone3, NOTHING, 0 },
#ifdef SYS_open
    { "open", SYS_open, PATH, 0 },
    { "rename", SYS_rename, PATH, 1 },
    { "link", SYS_link, PATH, 1 },
    { "unlink", SYS_unlink, PATH, 0 },
#endif
};
#define CALLS (sizeof calls / sizeof *calls)

struct rule {
    char kind[16], text[256], what[32];
    int skip, times;
};

static struct rule rules[16];
static int count;
static pid_t child;

static void die(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void parse(const char *text)
{
    while (text && *text && count < 16) {
        struct rule *r = &rules[count];
        /* TEXT may be empty, which %[ of sscanf does not match. */
        const char *comma = strchr(text, ',');
        if (comma && comma[1] == ',') {
            if (sscanf(text, "%15[^,],,%d,%d,%31[^;]", r->kind, &r->skip, &r->times, r->what) != 4)
                errno = EINVAL, die(text);
        } else if (sscanf(text, "%15[^,],%255[^,],%d,%d,%31[^;]", r->kind, r->text, &r->skip, &r->times, r->what) != 5) {
            errno = EINVAL, die(text);
        }
        count++;
        text = strchr(text, ';');
        if (text)
            text++;
    }
}

static int wanted(const char *kind)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(rules[i].kind, kind))
            return 1;
    return 0;
}

/* Installs a filter that stops only the calls that rules are about, and returns the descriptor of its listener. */
static int install(void)
{
    struct sock_filter code[CALLS + 4];
    int n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    unsigned checks = 0;
    for (unsigned i = 0; i < CALLS; i++)
        checks += wanted(calls[i].kind);
    for (unsigned i = 0, left = checks; i < CALLS; i++)
        if (wanted(calls[i].kind))
            code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, left--, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = { n, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        die("no_new_privs");
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void pass(int socket, int fd)
{
    char byte = 0, control[CMSG_SPACE(sizeof fd)] = { 0 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    if (sendmsg(socket, &message, 0) != 1)
        die("sendmsg");
}

static int take(int socket)
{
    int fd = -1;
    char byte, control[CMSG_SPACE(sizeof fd)];
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
    if (recvmsg(socket, &message, 0) != 1)
        exit(125); /* The child has reported why. */
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

static void link_of(unsigned pid, const char *what, char *path, size_t room)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%u/%s", pid, what);
    ssize_t n = readlink(link, path, room - 1);
    path[n < 0 ? 0 : n] = 0;
}

/* Reads to the end of a page at a time, since what follows a string may not be mapped. */
static void text_of(unsigned pid, unsigned long long at, char *text, size_t room)
{
    size_t n = 0;
    while (n < room - 1) {
        size_t more = 4096 - (at + n) % 4096;
        if (more > room - 1 - n)
            more = room - 1 - n;
        struct iovec to = { text + n, more }, from = { (void *)(at + n), more };
        ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
        if (got <= 0)
            break;
        if (memchr(text + n, 0, got))
            return;
        n += got;
    }
    text[n] = 0;
}

static int is_folder(unsigned pid, int fd)
{
    char link[64];
    struct stat meta;
    snprintf(link, sizeof link, "/proc/%u/fd/%d", pid, fd);
    return stat(link, &meta) == 0 && S_ISDIR(meta.st_mode);
}

/* Finds the path that a call is about. Returns 0 if the call is not of this kind after all. */
static int path_of(const struct call *c, const struct seccomp_notif *n, char *path, size_t room)
{
    const unsigned long long *arguments = (const unsigned long long *)n->data.args;
    char what[32];
    int fd = (int)arguments[c->argument];
    path[0] = 0;
    switch (c->place) {
    case NOTHING:
        if (!strcmp(c->kind, "thread")) {
            unsigned long long flags = arguments[0];
            struct iovec to = { &flags, sizeof flags }, from = { (void *)arguments[0], sizeof flags };
            if (c->number == SYS_clone3 && process_vm_readv(n->pid, &to, 1, &from, 1, 0) != sizeof flags)
                return 0;
            return (flags & CLONE_THREAD) != 0;
        }
        return 1;
    case DESCRIPTOR:
        if (!strcmp(c->kind, "closedir") || !strcmp(c->kind, "syncdir")) {
            if (!is_folder(n->pid, fd))
                return 0;
        } else if ((!strcmp(c->kind, "close") || !strcmp(c->kind, "fsync")) && is_folder(n->pid, fd)) {
            return 0;
        } else if (!strcmp(c->kind, "data") && arguments[2] != SEEK_DATA) {
            return 0;
        }
        snprintf(what, sizeof what, "fd/%d", fd);
        link_of(n->pid, what, path, room);
        return 1;
    case PATH:
    case BELOW: {
        char name[PATH_MAX];
        text_of(n->pid, arguments[c->argument], name, sizeof name);
        if (name[0] != '/') {
            fd = c->place == PATH ? AT_FDCWD : (int)arguments[c->argument - 1];
            if (fd == AT_FDCWD)
                strcpy(what, "cwd");
            else
                snprintf(what, sizeof what, "fd/%d", fd);
            link_of(n->pid, what, path, room);
            strncat(path, "/", room - strlen(path) - 1);
        }
        strncat(path, name, room - strlen(path) - 1);
        return 1;
    }
    }
    return 0;
}

static void judge(const struct seccomp_notif *n, struct seccomp_notif_resp *answer)
{
    char path[2 * PATH_MAX];
    answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    for (unsigned i = 0; i < CALLS; i++) {
        const struct call *c = &calls[i];
        if (c->number != n->data.nr || !wanted(c->kind) || !path_of(c, n, path, sizeof path))
            continue;
        for (int j = 0; j < count; j++) {
            struct rule *r = &rules[j];
            if (strcmp(r->kind, c->kind) || r->times == 0 || !strstr(path, r->text))
                continue;
            if (r->skip > 0) {
                r->skip--;
                continue;
            }
            if (r->times > 0)
                r->times--;
            if (!strcmp(r->what, "log")) {
                FILE *log = fopen(getenv("FAULT_LOG"), "a");
                if (!log)
                    die("FAULT_LOG");
                fprintf(log, "%s %s\n", c->kind, path);
                fclose(log);
                continue;
            }
            if (!strcmp(r->what, "kill")) {
                kill(child, SIGKILL);
                return;
            }
            if (!strcmp(r->what, "run")) {
                if (system(getenv("FAULT_RUN")) != 0)
                    fprintf(stderr, "inject: FAULT_RUN failed\n");
                return;
            }
            answer->flags = 0;
            if (r->what[0] == 'e')
                answer->error = -atoi(r->what + 1);
            else
                answer->val = atoll(r->what + 1);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 125;
    parse(argv[1]);
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        die("socketpair");
    pid_t parent = getpid();
    child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            return 125;
        int fd = install();
        if (fd < 0)
            die("seccomp");
        pass(sockets[1], fd);
        execv(argv[2], argv + 2);
        die(argv[2]);
    }
    close(sockets[1]);
    int listener = take(sockets[0]);
    fcntl(listener, F_SETFD, FD_CLOEXEC);
    for (;;) {
        struct pollfd wait = { listener, POLLIN, 0 };
        if (poll(&wait, 1, -1) < 0 && errno != EINTR)
            die("poll");
        if (wait.revents & POLLIN) {
            struct seccomp_notif n;
            struct seccomp_notif_resp answer;
            memset(&n, 0, sizeof n);
            memset(&answer, 0, sizeof answer);
            if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n))
                continue; /* The thread has been killed meanwhile. */
            answer.id = n.id;
            judge(&n, &answer);
            ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
        } else if (wait.revents) {
            break;
        }
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
