/* Runs a program, follows all its threads, and strikes at one of its system calls:
 *
 *     tracer FOLDER SECONDS REPORT MODE N SET ERRNO COMMAND PROGRAM ARGUMENT…
 *
 * Calls are counted from the first one on that names a relative path or a path in FOLDER, so that loading the program
 * is left alone; new threads are counted from the beginning. SET is a group of the table below, `mutating`, `all`
 * (except new threads), or `counts` (reads, writes and copies whose length can be halved). MODE says what happens at
 * the Nth call of the set:
 *
 *     count        nothing
 *     before       the whole process is killed, and the call is not made
 *     after        the process is killed right after the call
 *     fail         the call is not made and fails with the error number ERRNO; a `close` is made and fails
 *     from         the same for this call and all later ones of the set
 *     burst        the same for this call and the 39 after it
 *     short        the call is made with half of its length (whole blocks of 4096 bytes with O_DIRECT)
 *     run          COMMAND runs right after the call, and the program goes on
 *     runkill      COMMAND runs right after the call, and the program is killed
 *
 * REPORT gets a line `struck GROUP PATH`, a line `GROUP COUNT` for each group, and `set COUNT` for the set. The exit
 * status is the program's, 128 plus the signal that killed it, 124 if it was not done after SECONDS, or 125 if the
 * tracer itself failed.
 *
 * A seccomp filter stops the program only at calls of the table; all others run at full speed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <linux/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MUTATING = 1, LENGTH = 2 };

/* A call: its group, the argument that is a path (-1: none, and the first argument is a descriptor), and the argument
   that is a length. */
struct call {
    int number;
    const char *group;
    int path, length, flags;
};

static const struct call calls[] = {
#ifdef SYS_open
    {SYS_open, "open", 0, 0, 0},
    {SYS_creat, "create", 0, 0, MUTATING},
    {SYS_stat, "stat", 0, 0, 0},
    {SYS_lstat, "stat", 0, 0, 0},
    {SYS_access, "access", 0, 0, 0},
    {SYS_readlink, "readlink", 0, 0, 0},
    {SYS_rename, "rename", 1, 0, MUTATING},
    {SYS_link, "link", 1, 0, MUTATING},
    {SYS_unlink, "unlink", 0, 0, MUTATING},
    {SYS_rmdir, "unlink", 0, 0, MUTATING},
    {SYS_mkdir, "mkdir", 0, 0, MUTATING},
    {SYS_symlink, "symlink", 1, 0, MUTATING},
    {SYS_mknod, "create", 0, 0, MUTATING},
    {SYS_chmod, "chmod", 0, 0, MUTATING},
    {SYS_chown, "chown", 0, 0, MUTATING},
    {SYS_lchown, "chown", 0, 0, MUTATING},
    {SYS_utimes, "utime", 0, 0, MUTATING},
    {SYS_getdents, "getdents", -1, 0, 0},
    {SYS_renameat, "rename", 3, 0, MUTATING},
#endif
    {SYS_openat, "open", 1, 0, 0},
    {SYS_openat2, "openat2", 1, 0, 0},
    {SYS_mknodat, "create", 1, 0, MUTATING},
    {SYS_read, "read", -1, 2, LENGTH},
    {SYS_pread64, "read", -1, 2, LENGTH},
    {SYS_readv, "read", -1, 0, 0},
    {SYS_preadv, "read", -1, 0, 0},
    {SYS_preadv2, "read", -1, 0, 0},
    {SYS_write, "write", -1, 2, MUTATING | LENGTH},
    {SYS_pwrite64, "write", -1, 2, MUTATING | LENGTH},
    {SYS_writev, "write", -1, 0, MUTATING},
    {SYS_pwritev, "write", -1, 0, MUTATING},
    {SYS_pwritev2, "write", -1, 0, MUTATING},
    {SYS_copy_file_range, "copy", -1, 4, MUTATING | LENGTH},
    {SYS_sendfile, "copy", -1, 3, MUTATING | LENGTH},
    {SYS_truncate, "truncate", 0, 0, MUTATING},
    {SYS_ftruncate, "truncate", -1, 0, MUTATING},
    {SYS_fallocate, "allocate", -1, 0, MUTATING},
    {SYS_fsync, "fsync", -1, 0, MUTATING},
    {SYS_fdatasync, "fsync", -1, 0, MUTATING},
    {SYS_syncfs, "fsync", -1, 0, MUTATING},
    {SYS_sync_file_range, "fsync", -1, 0, MUTATING},
    {SYS_renameat2, "rename", 3, 0, MUTATING},
    {SYS_linkat, "link", 3, 0, MUTATING},
    {SYS_unlinkat, "unlink", 1, 0, MUTATING},
    {SYS_mkdirat, "mkdir", 1, 0, MUTATING},
    {SYS_symlinkat, "symlink", 2, 0, MUTATING},
    {SYS_fchmod, "chmod", -1, 0, MUTATING},
    {SYS_fchmodat, "chmod", 1, 0, MUTATING},
#ifdef SYS_fchmodat2
    {SYS_fchmodat2, "chmod", 1, 0, MUTATING},
#endif
    {SYS_fchown, "chown", -1, 0, MUTATING},
    {SYS_fchownat, "chown", 1, 0, MUTATING},
    {SYS_utimensat, "utime", 1, 0, MUTATING},
    {SYS_setxattr, "setxattr", 0, 0, MUTATING},
    {SYS_lsetxattr, "setxattr", 0, 0, MUTATING},
    {SYS_fsetxattr, "setxattr", -1, 0, MUTATING},
    {SYS_removexattr, "setxattr", 0, 0, MUTATING},
    {SYS_lremovexattr, "setxattr", 0, 0, MUTATING},
    {SYS_fremovexattr, "setxattr", -1, 0, MUTATING},
    {SYS_flock, "flock", -1, 0, MUTATING},
    {SYS_getdents64, "getdents", -1, 0, 0},
    {SYS_fstat, "stat", -1, 0, 0},
    {SYS_newfstatat, "stat", 1, 0, 0},
    {SYS_statx, "stat", 1, 0, 0},
    {SYS_faccessat, "access", 1, 0, 0},
    {SYS_faccessat2, "access", 1, 0, 0},
    {SYS_lseek, "seek", -1, 0, 0},
    {SYS_close, "close", -1, 0, 0},
    {SYS_readlinkat, "readlink", 1, 0, 0},
    {SYS_getxattr, "getxattr", 0, 0, 0},
    {SYS_lgetxattr, "getxattr", 0, 0, 0},
    {SYS_fgetxattr, "getxattr", -1, 0, 0},
    {SYS_listxattr, "listxattr", 0, 0, 0},
    {SYS_llistxattr, "listxattr", 0, 0, 0},
    {SYS_flistxattr, "listxattr", -1, 0, 0},
    {SYS_fadvise64, "advise", -1, 0, 0},
    {SYS_statfs, "statfs", 0, 0, 0},
    {SYS_fstatfs, "statfs", -1, 0, 0},
    {SYS_fcntl, "fcntl", -1, 0, 0},
    {SYS_clone, "clone", -1, 0, 0},
    {SYS_clone3, "clone", -1, 0, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

static const char *const groups[] = {
    "create", "open", "openat2", "fcntl", "read",  "write", "copy",   "truncate", "allocate", "fsync",    "rename",   "link",   "unlink",    "mkdir",  "symlink",
    "chmod",  "chown",  "utime", "flock", "access", "setxattr", "getdents", "stat",     "seek",     "close",  "readlink",  "getxattr",
    "listxattr", "advise", "statfs", "clone",
};
enum { GROUPS = sizeof groups / sizeof *groups };

static pid_t program;
static volatile sig_atomic_t late;

static void die(const char *what)
{
    fprintf(stderr, "tracer: %s: %s\n", what, strerror(errno));
    if (program > 0)
        kill(program, SIGKILL);
    exit(125);
}

static void on_alarm(int signal)
{
    (void)signal;
    late = 1;
}

static void install_filter(void)
{
    struct sock_filter code[CALLS + 3];
    int n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, (unsigned char)(CALLS - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog filter = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        _exit(125);
}

static int peek(pid_t tid, uint64_t at, void *into, size_t length)
{
    struct iovec local = {into, length}, remote = {(void *)(uintptr_t)at, length};
    return process_vm_readv(tid, &local, 1, &remote, 1, 0) > 0;
}

/* Reads to the end of a page at a time, since what follows a string may not be mapped. */
static void peek_text(pid_t tid, uint64_t at, char *into, size_t size)
{
    size_t have = 0;
    memset(into, 0, size);
    while (have < size - 1) {
        size_t page = 4096 - (at + have) % 4096, want = size - 1 - have < page ? size - 1 - have : page;
        if (!peek(tid, at + have, into + have, want) || memchr(into + have, 0, want))
            return;
        have += want;
    }
}

static const char *descriptor(pid_t tid, int fd, char *into, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)tid, fd);
    ssize_t n = readlink(link, into, size - 1);
    into[n < 0 ? 0 : n] = 0;
    return into;
}

static int is_direct(pid_t tid, int fd)
{
    char name[64], line[128];
    unsigned flags = 0;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)tid, fd);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "flags: %o", &flags) == 1)
            break;
    if (f)
        fclose(f);
    return (flags & O_DIRECT) != 0;
}

#if defined(__x86_64__)
static void change(pid_t tid, int skip, int argument, uint64_t value)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, tid, 0, &r))
        return;
    unsigned long long *arguments[] = {&r.rdi, &r.rsi, &r.rdx, &r.r10, &r.r8, &r.r9};
    if (skip)
        r.orig_rax = (unsigned long long)-1;
    if (argument < 0)
        r.rax = value;
    else
        *arguments[argument] = value;
    ptrace(PTRACE_SETREGS, tid, 0, &r);
}
#elif defined(__aarch64__)
static void change(pid_t tid, int skip, int argument, uint64_t value)
{
    struct user_regs_struct r;
    struct iovec all = {&r, sizeof r};
    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all))
        return;
    r.regs[argument < 0 ? 0 : argument] = value;
    ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &all);
    int none = -1;
    struct iovec number = {&none, sizeof none};
    if (skip)
        ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &number);
}
#else
#error "this machine's registers are not known here"
#endif

int main(int argc, char **argv)
{
    if (argc < 10) {
        errno = EINVAL;
        die("arguments");
    }
    const char *folder = argv[1], *mode = argv[4], *set = argv[6], *command = argv[8];
    long long target = atoll(argv[5]), n = 0, totals[GROUPS] = {0};
    int error = atoi(argv[7]), started = 0, ending = 0, waits[2];
    FILE *report = fopen(argv[3], "we");
    if (!report || pipe2(waits, O_CLOEXEC))
        die(argv[3]);
    program = fork();
    if (program < 0)
        die("fork");
    if (program == 0) {
        char go;
        if (read(waits[0], &go, 1) != 1)
            _exit(125);
        install_filter();
        execv(argv[9], argv + 9);
        _exit(125);
    }
    unsigned long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP |
                            PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, program, 0, options) || write(waits[1], "g", 1) != 1)
        die("ptrace");
    struct sigaction alarms = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &alarms, NULL);
    alarm((unsigned)atoi(argv[2]));

    int status, outcome = 0, failing = !strcmp(mode, "fail") || !strcmp(mode, "from") || !strcmp(mode, "burst");
    for (;;) {
        pid_t tid = waitpid(-1, &status, __WALL);
        if (late) /* Even if waitpid was not interrupted: a program that retries for ever never lets it wait. */
            kill(program, SIGKILL);
        if (tid < 0 && errno == EINTR)
            continue;
        if (tid < 0)
            break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (tid == program) {
                outcome = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
                break;
            }
            continue;
        }
        int event = status >> 16, signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) { /* The end of a call that was struck. */
            if (!strncmp(mode, "run", 3) && system(command) != 0)
                die(command);
            if (!strcmp(mode, "after") || !strcmp(mode, "runkill")) {
                ending = 1;
                kill(program, SIGKILL);
            } else if (failing) {
                change(tid, 0, -1, (uint64_t)-error);
            }
            ptrace(PTRACE_CONT, tid, 0, 0);
            continue;
        }
        if (event != PTRACE_EVENT_SECCOMP) {
            int pass = event == 0 && signal != SIGTRAP ? signal : 0;
            ptrace(event == PTRACE_EVENT_STOP && signal != SIGTRAP ? PTRACE_LISTEN : PTRACE_CONT, tid, 0, pass);
            continue;
        }
        struct ptrace_syscall_info info;
        if (ending || ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0) {
            ptrace(PTRACE_CONT, tid, 0, 0);
            continue;
        }
        const __typeof__(info.seccomp.args[0]) *a = info.seccomp.args;
        const struct call *call = calls;
        while (call < calls + CALLS - 1 && call->number != (int)info.seccomp.nr)
            call++;
        const char *group = call->group;
        int mutating = call->flags & MUTATING, cloning = !strcmp(group, "clone");
        char path[4096] = "";
        if (!started && call->path >= 0) {
            peek_text(tid, a[call->path], path, sizeof path);
            started = path[0] && (path[0] != '/' || !strncmp(path, folder, strlen(folder)));
        }
        if (!started && !cloning) {
            ptrace(PTRACE_CONT, tid, 0, 0);
            continue;
        }
        if (!strncmp(group, "open", 4)) {
            uint64_t how = a[call->path + 1];
            if (call->number == SYS_openat2)
                peek(tid, a[2], &how, sizeof how);
            if (how & (O_CREAT | O_TRUNC)) {
                group = "create";
                mutating = 1;
            }
        }
        int at = 0;
        while (at < GROUPS - 1 && strcmp(groups[at], group))
            at++;
        totals[at]++;
        uint64_t half = 0;
        if (call->flags & LENGTH) {
            half = a[call->length] / 2;
            if (!strcmp(set, "counts") && is_direct(tid, (int)a[0]))
                half = half / 4096 * 4096;
        }
        int ours = !strcmp(set, group) || (!strcmp(set, "mutating") && mutating) || (!strcmp(set, "all") && !cloning) ||
                   (!strcmp(set, "counts") && half > 0);
        int strike = ours && (++n == target || (n > target && (!strcmp(mode, "from") || (!strcmp(mode, "burst") && n < target + 40))));
        if (!strike || !strcmp(mode, "count")) {
            ptrace(PTRACE_CONT, tid, 0, 0);
            continue;
        }
        if (n == target) {
            if (call->path >= 0)
                peek_text(tid, a[call->path], path, sizeof path);
            fprintf(report, "struck %s %s\n", group, path[0] ? path : descriptor(tid, (int)a[0], path, sizeof path));
            fflush(report);
        }
        int request = PTRACE_CONT;
        if (!strcmp(mode, "before")) {
            ending = 1;
            kill(program, SIGKILL);
            continue;
        }
        if (!strcmp(mode, "short")) {
            change(tid, 0, call->length, half);
        } else if (failing && strcmp(group, "close")) {
            change(tid, 1, -1, (uint64_t)-error);
        } else {
            request = PTRACE_SYSCALL;
        }
        ptrace(request, tid, 0, 0);
    }
    for (int i = 0; i < GROUPS; i++)
        fprintf(report, "%s %lld\n", groups[i], totals[i]);
    fprintf(report, "set %lld\n", n);
    if (fclose(report))
        die(argv[3]);
    return late ? 124 : outcome;
}
