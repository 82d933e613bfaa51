/* The journal flash: a file of the host that behaves like NOR, and the device key in its tail (docs/harness.md). */
#include <string.h>

#include "board.h"
#include "exit.h"
#include "flash_faults.h"
#include "semihosting.h"

enum {
    WORD_BYTES = 4,
    PATH_BYTES = 1024,
    FILE_BYTES = BOARD_FLASH_BYTES + BOARD_DEVICE_KEY_BYTES,
    CHUNK_WORDS = 64, /* a page is rewritten in pieces: the stack is small */
};

static const uint32_t ERASED = 0xffffffff;

static int32_t file = -1;

void
board_flash_start(void)
{
    char path[PATH_BYTES];
    if (host_command_line(path, sizeof path))
        file = host_open(path, HOST_OPEN_UPDATE);
    if (file < 0 || host_length(file) != FILE_BYTES)
        host_exit(EXIT_FLASH_FILE);
}

static void
read_file(uint32_t at, void *into, uint32_t bytes)
{
    if (!host_read(file, at, into, bytes))
        host_exit(EXIT_FLASH_FILE);
}

static void
write_file(uint32_t at, const void *from, uint32_t bytes)
{
    if (!host_write(file, at, from, bytes))
        host_exit(EXIT_FLASH_FILE);
}

/* Carries out the bits of an erase that the mask source picks, or all of them. */
static void
erase_page(uint32_t page, bool whole)
{
    uint32_t chunk[CHUNK_WORDS];
    uint32_t end = (page + 1) * BOARD_FLASH_PAGE_BYTES;
    for (uint32_t at = page * BOARD_FLASH_PAGE_BYTES; at < end; at += sizeof chunk) {
        read_file(at, chunk, sizeof chunk);
        for (uint32_t i = 0; i < CHUNK_WORDS; i++)
            chunk[i] |= whole ? ERASED : flash_fault_mask();
        write_file(at, chunk, sizeof chunk);
    }
}

bool
board_flash_read(uint32_t at, void *into, uint32_t bytes)
{
    if (at > BOARD_FLASH_BYTES || bytes > BOARD_FLASH_BYTES - at)
        board_fault("flash read outside of the part");
    if (bytes > 0)
        read_file(at, into, bytes);
    return true;
}

bool
board_flash_program(uint32_t at, uint32_t word)
{
    if (at % WORD_BYTES != 0 || at >= BOARD_FLASH_BYTES)
        board_fault("flash program outside of the part or not at a word");
    uint32_t old;
    read_file(at, &old, WORD_BYTES);
    if (word & ~old)
        board_fault("flash program: a bit would go from 0 to 1");
    if (old != ERASED)
        board_fault("flash program: the word was programmed since the last erase");
    flash_fault_kind fault = flash_fault_strikes();
    if (fault == FLASH_FAULT_CUT)
        host_exit(EXIT_POWER_LOST);
    if (fault != FLASH_FAULT_NONE)
        word |= ~flash_fault_mask();
    write_file(at, &word, WORD_BYTES);
    if (fault == FLASH_FAULT_TEAR)
        host_exit(EXIT_POWER_LOST);
    return fault == FLASH_FAULT_NONE;
}

bool
board_flash_erase(uint32_t page)
{
    if (page >= BOARD_FLASH_PAGES)
        board_fault("flash erase outside of the part");
    flash_fault_kind fault = flash_fault_strikes();
    if (fault == FLASH_FAULT_CUT)
        host_exit(EXIT_POWER_LOST);
    erase_page(page, fault == FLASH_FAULT_NONE);
    if (fault == FLASH_FAULT_TEAR)
        host_exit(EXIT_POWER_LOST);
    return fault == FLASH_FAULT_NONE;
}

bool
board_device_key(uint8_t key[BOARD_DEVICE_KEY_BYTES])
{
    read_file(BOARD_FLASH_BYTES, key, BOARD_DEVICE_KEY_BYTES);
    return true;
}
