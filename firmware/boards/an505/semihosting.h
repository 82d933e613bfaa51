/* Calls of the emulator's host (ARM semihosting), as far as this board needs them. */
#ifndef AN505_SEMIHOSTING_H
#define AN505_SEMIHOSTING_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_OPEN_READ = 1, HOST_OPEN_UPDATE = 3 };

/* Opens a file of the host. A handle, or -1. HOST_OPEN_UPDATE wants an existing file. */
int32_t host_open(const char *path, uint32_t mode);

/* Length of an open file in bytes, or -1. */
int32_t host_length(int32_t file);

/* Both return true when all bytes went through. What was written is the host's on return. */
bool host_read(int32_t file, uint32_t at, void *into, uint32_t bytes);
bool host_write(int32_t file, uint32_t at, const void *from, uint32_t bytes);

/* As host_read, for a file without positions. */
bool host_read_next(int32_t file, void *into, uint32_t bytes);

/* The command line that the emulator was given, NUL-terminated. False when it does not fit. */
bool host_command_line(char *into, uint32_t capacity);

/* Ends the emulator with this exit code. */
_Noreturn void host_exit(uint32_t code);

#endif
