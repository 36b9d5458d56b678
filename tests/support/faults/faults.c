// A preloaded library that makes system calls fail, to test nigh's error handling.
//
// The environment selects the call that fails, and the error:
//
//   NIGH_FAULT_CALL    the kind of call: a name of the table `kinds`
//   NIGH_FAULT_AT      the number of the call that fails, from 1
//   NIGH_FAULT_REST    1: all later calls of the kind fail too
//   NIGH_FAULT_ERRNO   the error; 0: the call returns 0, which for a read is the end of the file (default: EIO)
//   NIGH_FAULT_SIZE    minimum number of bytes of the calls that are counted (default: 0)
//   NIGH_FAULT_SHORT   1: reads and writes move 1 to 7 bytes at a time
//   NIGH_FAULT_COUNTS  a file that gets the number of calls of each kind when the process exits
//
// Calls on standard error never fail, because tests read its messages.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { READ, PREAD, WRITE, CLOSE, OPEN, STAT, SEEK, TRUNCATE, MMAP, MEMORY, THREAD, KINDS };
static const char *const kinds[KINDS] = {"read", "pread", "write",  "close",  "open",  "stat",
                                         "seek", "truncate", "mmap", "memory", "thread"};

static atomic_long calls[KINDS];
static atomic_ulong moves;
static int failing_kind = -1;
static int fails_later, error_number = EIO, is_short, is_ready;
static long failing_call, min_size;
static const char *counts_file;

// Returns the value of an environment variable, or `fallback` if it is unset or empty.
static long setting(const char *name, long fallback) {
    const char *value = getenv(name);
    return value && *value ? atol(value) : fallback;
}

__attribute__((constructor)) static void begin(void) {
    const char *call = getenv("NIGH_FAULT_CALL");
    for (int kind = 0; call && kind < KINDS; kind++)
        if (!strcmp(call, kinds[kind])) failing_kind = kind;
    failing_call = setting("NIGH_FAULT_AT", 0);
    fails_later = setting("NIGH_FAULT_REST", 0) != 0;
    error_number = (int)setting("NIGH_FAULT_ERRNO", EIO);
    min_size = setting("NIGH_FAULT_SIZE", 0);
    is_short = setting("NIGH_FAULT_SHORT", 0) != 0;
    counts_file = getenv("NIGH_FAULT_COUNTS");
    is_ready = 1;
}

__attribute__((destructor)) static void end(void) {
    if (!counts_file) return;
    is_ready = 0;
    char text[512];
    int length = 0;
    for (int kind = 0; kind < KINDS; kind++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %ld\n", kinds[kind], atomic_load(&calls[kind]));
    long file = syscall(SYS_openat, AT_FDCWD, counts_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
        long written = syscall(SYS_write, file, text, length);
        (void)written;
        syscall(SYS_close, file);
    }
}

// Counts a call. Returns true, and sets errno, if the call fails.
static int fails(enum kind kind, size_t size) {
    if (!is_ready || (long)size < min_size) return 0;
    long number = atomic_fetch_add(&calls[kind], 1) + 1;
    if ((int)kind != failing_kind || failing_call <= 0 || number < failing_call) return 0;
    if (number > failing_call && !fails_later) return 0;
    errno = error_number;
    return 1;
}

// Returns the result of a read or write that fails.
static ssize_t failure(void) { return error_number ? -1 : 0; }

// Returns the number of bytes that a read or write moves.
static size_t moved_size(size_t size) {
    if (!is_short || size == 0) return size;
    unsigned long limit = 1 + atomic_fetch_add(&moves, 5) % 7;
    return size < limit ? size : limit;
}

// Looks up the function that this library wraps.
#define NEXT(name)                  \
    static __typeof__(&name) next;  \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name)

ssize_t read(int file, void *bytes, size_t size) {
    NEXT(read);
    return fails(READ, size) ? failure() : next(file, bytes, moved_size(size));
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
    NEXT(pread64);
    return fails(PREAD, size) ? failure() : next(file, bytes, moved_size(size), offset);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset) { return pread64(file, bytes, size, offset); }

ssize_t write(int file, const void *bytes, size_t size) {
    NEXT(write);
    if (file == STDERR_FILENO) return next(file, bytes, size);
    return fails(WRITE, size) ? failure() : next(file, bytes, moved_size(size));
}

ssize_t writev(int file, const struct iovec *pieces, int count) {
    NEXT(writev);
    if (file == STDERR_FILENO) return next(file, pieces, count);
    return fails(WRITE, min_size) ? failure() : next(file, pieces, count);
}

int close(int file) {
    NEXT(close);
    // As on Linux, the descriptor is closed even if close fails.
    int status = next(file);
    return fails(CLOSE, min_size) ? (int)failure() : status;
}

int open64(const char *path, int flags, ...) {
    NEXT(open64);
    va_list rest_of_arguments;
    va_start(rest_of_arguments, flags);
    int mode = va_arg(rest_of_arguments, int);
    va_end(rest_of_arguments);
    return fails(OPEN, min_size) ? -1 : next(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest_of_arguments;
    va_start(rest_of_arguments, flags);
    int mode = va_arg(rest_of_arguments, int);
    va_end(rest_of_arguments);
    return open64(path, flags, mode);
}

int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *status) {
    NEXT(statx);
    return fails(STAT, min_size) ? -1 : next(folder, path, flags, mask, status);
}

int fstat64(int file, struct stat64 *status) {
    NEXT(fstat64);
    return fails(STAT, min_size) ? -1 : next(file, status);
}

off64_t lseek64(int file, off64_t offset, int from) {
    NEXT(lseek64);
    return fails(SEEK, min_size) ? -1 : next(file, offset, from);
}

int ftruncate64(int file, off64_t length) {
    NEXT(ftruncate64);
    return fails(TRUNCATE, min_size) ? -1 : next(file, length);
}

void *mmap64(void *address, size_t size, int protection, int flags, int file, off64_t offset) {
    NEXT(mmap64);
    return fails(MMAP, size) ? MAP_FAILED : next(address, size, protection, flags, file, offset);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    return mmap64(address, size, protection, flags, file, offset);
}

// NEXT would allocate memory to look up these functions, so they are called by their internal names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return fails(MEMORY, size) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return fails(MEMORY, count * size) ? NULL : __libc_calloc(count, size); }

void *realloc(void *memory, size_t size) { return fails(MEMORY, size) ? NULL : __libc_realloc(memory, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (fails(MEMORY, size)) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    NEXT(pthread_create);
    return fails(THREAD, min_size) ? EAGAIN : next(thread, attributes, run, argument);
}
