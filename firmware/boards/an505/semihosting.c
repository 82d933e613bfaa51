#include "semihosting.h"

#include <string.h>

/* Operation numbers of the ARM semihosting specification. */
enum {
    SYS_OPEN = 0x01,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_SEEK = 0x0a,
    SYS_FLEN = 0x0c,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
};

enum { ADP_STOPPED_APPLICATION_EXIT = 0x20026 };

static int32_t
call(uint32_t operation, const void *arguments)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

int32_t
host_open(const char *path, uint32_t mode)
{
    const uint32_t arguments[] = { (uint32_t)path, mode, strlen(path) };
    return call(SYS_OPEN, arguments);
}

int32_t
host_length(int32_t file)
{
    const uint32_t arguments[] = { (uint32_t)file };
    return call(SYS_FLEN, arguments);
}

static bool
seek(int32_t file, uint32_t at)
{
    const uint32_t arguments[] = { (uint32_t)file, at };
    return call(SYS_SEEK, arguments) == 0;
}

/* SYS_READ and SYS_WRITE return the number of bytes that did not go through. */
bool
host_read_next(int32_t file, void *into, uint32_t bytes)
{
    const uint32_t arguments[] = { (uint32_t)file, (uint32_t)into, bytes };
    return call(SYS_READ, arguments) == 0;
}

bool
host_read(int32_t file, uint32_t at, void *into, uint32_t bytes)
{
    return seek(file, at) && host_read_next(file, into, bytes);
}

bool
host_write(int32_t file, uint32_t at, const void *from, uint32_t bytes)
{
    const uint32_t arguments[] = { (uint32_t)file, (uint32_t)from, bytes };
    return seek(file, at) && call(SYS_WRITE, arguments) == 0;
}

bool
host_command_line(char *into, uint32_t capacity)
{
    const uint32_t arguments[] = { (uint32_t)into, capacity };
    return call(SYS_GET_CMDLINE, arguments) == 0;
}

_Noreturn void
host_exit(uint32_t code)
{
    const uint32_t arguments[] = { ADP_STOPPED_APPLICATION_EXIT, code };
    call(SYS_EXIT_EXTENDED, arguments);
    for (;;)
        ;
}
