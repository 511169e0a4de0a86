/*
 * semihosting.c - the system calls of newlib by way of the debugger or emulator: output, the end of the program, memory.
 *
 * Operations and numbers are those of Arm's document "Semihosting for AArch32 and AArch64". There is no input.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
    SYS_OPEN = 0x01,
    SYS_WRITE = 0x05,
    SYS_EXIT_EXTENDED = 0x20,
    APPLICATION_EXIT = 0x20026,
    OPEN_WRITE = 4, /* of the console: standard output */
    OPEN_APPEND = 8 /* of the console: standard error */
};

/* From the linker script: what lies between the variables and the stack. */
extern char heap_start[], heap_end[];

void *_sbrk(ptrdiff_t increment);
int _write(int file, const char *data, int size);
int _read(int file, char *data, int size);
int _close(int file);
int _lseek(int file, int offset, int whence);
int _fstat(int file, struct stat *status);
int _isatty(int file);
int _kill(int process, int signal);
int _getpid(void);
void _exit(int status) __attribute__((noreturn));

static intptr_t semihosting(int operation, const void *parameters)
{
    register int r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = parameters;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* The console's handle for standard output (1) or error (2). */
static intptr_t console(int file)
{
    static intptr_t handles[3] = {-1, -1, -1};
    static const char name[] = ":tt";
    if (handles[file] < 0) {
        const uintptr_t parameters[3] = {(uintptr_t)name, file == 1 ? OPEN_WRITE : OPEN_APPEND, sizeof name - 1};
        handles[file] = semihosting(SYS_OPEN, parameters);
    }
    return handles[file];
}

int _write(int file, const char *data, int size)
{
    if (file != 1 && file != 2) {
        errno = EBADF;
        return -1;
    }
    const uintptr_t parameters[3] = {(uintptr_t)console(file), (uintptr_t)data, (uintptr_t)size};
    return size - (int)semihosting(SYS_WRITE, parameters); /* the result is what was not written */
}

void _exit(int status)
{
    const uintptr_t parameters[2] = {APPLICATION_EXIT, (uintptr_t)status};
    for (;;)
        semihosting(SYS_EXIT_EXTENDED, parameters);
}

/* printf takes a buffer from here. */
void *_sbrk(ptrdiff_t increment)
{
    static char *top = heap_start;
    char *block = top;
    if (increment > heap_end - top) {
        errno = ENOMEM;
        return (void *)-1;
    }
    top += increment;
    return block;
}

int _read(int file, char *data, int size)
{
    (void)file;
    (void)data;
    (void)size;
    return 0;
}

int _close(int file)
{
    (void)file;
    return 0;
}

int _lseek(int file, int offset, int whence)
{
    (void)file;
    (void)offset;
    (void)whence;
    return 0;
}

int _fstat(int file, struct stat *status)
{
    (void)file;
    status->st_mode = S_IFCHR;
    return 0;
}

int _isatty(int file)
{
    (void)file;
    return 1;
}

int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    errno = EINVAL;
    return -1;
}

int _getpid(void)
{
    return 1;
}
