#include "core_imports.h"

#include <string.h>

#include "board.h"
#include "core.h"
#include "wasm_export.h"

/* The runtime checks that (ptr, bytes) pairs lie in the core's memory before it calls any of these; what else the core
 * asks for and cannot have is a trap. */

enum { IMPORT_OK = 0, IMPORT_FAILED = 1, WORD_BYTES = 4 };

static core_imports_work work;

core_imports_work
core_imports_take_work(void)
{
    core_imports_work taken = work;
    work = (core_imports_work){ 0 };
    return taken;
}

static int32_t
status(bool done)
{
    return done ? IMPORT_OK : IMPORT_FAILED;
}

static int32_t
trap(wasm_exec_env_t env, const char *why)
{
    wasm_runtime_set_exception(wasm_runtime_get_module_inst(env), why);
    return IMPORT_FAILED;
}

static bool
in_flash(uint32_t at, uint32_t bytes)
{
    return at <= BOARD_FLASH_BYTES && bytes <= BOARD_FLASH_BYTES - at;
}

static int32_t
import_entropy(wasm_exec_env_t env, uint8_t *into, uint32_t bytes)
{
    (void)env;
    return status(board_entropy(into, bytes));
}

static int32_t
import_flash_read(wasm_exec_env_t env, uint32_t at, uint8_t *into, uint32_t bytes)
{
    if (!in_flash(at, bytes))
        return trap(env, "flash_read outside of the part");
    return status(board_flash_read(at, into, bytes));
}

static int32_t
import_flash_program(wasm_exec_env_t env, uint32_t at, const uint8_t *from, uint32_t bytes)
{
    if (!in_flash(at, bytes) || (at | bytes) % WORD_BYTES != 0)
        return trap(env, "flash_program of a range that is none");
    for (uint32_t done = 0; done < bytes; done += WORD_BYTES) {
        uint32_t word;
        memcpy(&word, from + done, sizeof word);
        if (!board_flash_program(at + done, word))
            return IMPORT_FAILED;
        work.flash_words++;
    }
    return IMPORT_OK;
}

static int32_t
import_flash_erase(wasm_exec_env_t env, uint32_t page)
{
    if (page >= BOARD_FLASH_PAGES)
        return trap(env, "flash_erase of a page that is none");
    if (!board_flash_erase(page))
        return IMPORT_FAILED;
    work.flash_erases++;
    return IMPORT_OK;
}

static int32_t
import_flash_geometry(wasm_exec_env_t env)
{
    (void)env;
    return BOARD_FLASH_PAGE_LOG2 << 16 | BOARD_FLASH_PAGES;
}

static int32_t
import_device_key(wasm_exec_env_t env, uint32_t at)
{
    wasm_module_inst_t instance = wasm_runtime_get_module_inst(env);
    if (!wasm_runtime_validate_app_addr(instance, at, BOARD_DEVICE_KEY_BYTES))
        return IMPORT_FAILED; /* that set the trap */
    return status(board_device_key(wasm_runtime_addr_app_to_native(instance, at)));
}

/* Sending waits for the computer, so it is no part of what a call costs. */
static void
send(void (*sender)(const uint8_t *, uint32_t), const uint8_t *bytes, uint32_t count)
{
    board_stopwatch_pause();
    sender(bytes, count);
    board_stopwatch_resume();
}

static void
import_transmit(wasm_exec_env_t env, const uint8_t *frame, uint32_t bytes)
{
    (void)env;
    send(core_transmit, frame, bytes);
}

static void
import_event(wasm_exec_env_t env, const uint8_t *event, uint32_t bytes)
{
    (void)env;
    send(core_event, event, bytes);
}

/* Signatures: i an i32, *~ a pointer and the bytes behind it. The table may not be constant: the runtime sorts it. */
static NativeSymbol imports[] = {
    { "entropy", (void *)import_entropy, "(*~)i", 0 },
    { "flash_read", (void *)import_flash_read, "(i*~)i", 0 },
    { "flash_program", (void *)import_flash_program, "(i*~)i", 0 },
    { "flash_erase", (void *)import_flash_erase, "(i)i", 0 },
    { "flash_geometry", (void *)import_flash_geometry, "()i", 0 },
    { "device_key", (void *)import_device_key, "(i)i", 0 },
    { "transmit", (void *)import_transmit, "(*~)", 0 },
    { "event", (void *)import_event, "(*~)", 0 },
};

bool
core_imports_register(void)
{
    return wasm_runtime_register_natives("board", imports, sizeof imports / sizeof imports[0]);
}
