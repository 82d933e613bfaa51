/* The core under WAMR. The same source hosts code compiled ahead of time, in place, and the interpreter. */
#include "core.h"

#include <string.h>

#include "abi.h"
#include "board.h"
#include "core_image.h"
#include "core_imports.h"
#include "wasm_export.h"

/* CORE_POOL_BYTES and CORE_OPERAND_BYTES come from the image (images/images.mk). */
static uint8_t pool[CORE_POOL_BYTES] __attribute__((aligned(8)));

/* Before the mailbox: the report of the last call (docs/abi.md). */
enum { REPORT_BYTES = 8, REPORT_DETAIL = 0, REPORT_ARENA = 4 };

enum { TEXT_BYTES = 80 };

static const char *const EXPORTS[CORE_CALLS] = {
    [CORE_OPEN] = "open",         [CORE_RECEIVE] = "receive", [CORE_ADVERTISE] = "advertise", [CORE_SEAL] = "seal",
    [CORE_PEERS] = "peers",       [CORE_SESSION] = "session", [CORE_UNPAIR] = "unpair",       [CORE_INVITE] = "invite",
    [CORE_PAIRING] = "pairing",   [CORE_SELFTEST] = "selftest",
};

static struct {
    bool ready;
    wasm_module_inst_t instance;
    wasm_exec_env_t env;
    wasm_function_inst_t functions[CORE_CALLS];
    uint8_t *mailbox;
    uint32_t mailbox_bytes;
} core;

static core_stats stats;

/* Why the last start failed. */
static char text[TEXT_BYTES];

/* Bounds of the runtime's own variables (sections.ld). */
extern uint8_t wamr_data_start[], wamr_data_end[], wamr_bss_start[], wamr_bss_end[];
extern const uint8_t m33_data_image[];

/* Takes the runtime back to where it was at boot, whatever it was doing. */
static void
forget_runtime(void)
{
    memcpy(wamr_data_start, m33_data_image, (size_t)(wamr_data_end - wamr_data_start));
    memset(wamr_bss_start, 0, (size_t)(wamr_bss_end - wamr_bss_start));
    memset(&core, 0, sizeof core);
}

static const char *
start_runtime(void)
{
    RuntimeInitArgs init = {
        .mem_alloc_type = Alloc_With_Pool,
        .mem_alloc_option.pool = { .heap_buf = pool, .heap_size = sizeof pool },
    };
    if (!wasm_runtime_full_init(&init) || !core_imports_register())
        return "core refused: the pool is too small";
    return 0;
}

static const char *
make_instance(void)
{
    wasm_module_t module = wasm_runtime_load((uint8_t *)core_file(), core_in_flash.file_bytes, text, sizeof text);
    if (!module)
        return text;
    core.instance = wasm_runtime_instantiate(module, 0, 0, text, sizeof text);
    if (!core.instance)
        return text;
    core.env = wasm_runtime_create_exec_env(core.instance, CORE_OPERAND_BYTES);
    return core.env ? 0 : "core refused: the pool is too small";
}

/* The code has bound checks against a constant (wamr/aot/bounds.c): memory must be exactly what it was compiled for. */
static bool
memory_is_as_compiled(void)
{
    wasm_memory_inst_t memory = wasm_runtime_get_default_memory(core.instance);
    return memory
           && wasm_memory_get_cur_page_count(memory) * wasm_memory_get_bytes_per_page(memory)
                  == core_in_flash.memory_bytes;
}

/* Calls an export that takes nothing and returns a number. */
static bool
call_constant(const char *name, uint32_t *value)
{
    wasm_function_inst_t function = wasm_runtime_lookup_function(core.instance, name);
    return function && wasm_runtime_call_wasm(core.env, function, 0, value);
}

static bool
find_mailbox(void)
{
    uint32_t at;
    if (!call_constant("mailbox", &at) || !call_constant("mailbox_bytes", &core.mailbox_bytes) || at < REPORT_BYTES
        || !wasm_runtime_validate_app_addr(core.instance, at - REPORT_BYTES, core.mailbox_bytes + REPORT_BYTES))
        return false;
    core.mailbox = wasm_runtime_addr_app_to_native(core.instance, at);
    return true;
}

static const char *
check_surface(void)
{
    uint32_t abi;
    if (!call_constant("abi_version", &abi) || abi != ABI_VERSION)
        return "core refused: its ABI version is another one";
    if (!find_mailbox())
        return "core refused: its mailbox is outside of its memory";
    for (uint32_t i = 0; i < CORE_CALLS; i++)
        if (!(core.functions[i] = wasm_runtime_lookup_function(core.instance, EXPORTS[i])))
            return "core refused: an export is missing";
    return 0;
}

static const char *
build_core(void)
{
    forget_runtime();
    if (core_in_flash.magic != CORE_IMAGE_MAGIC)
        return "core refused: its region holds none";
    const char *refusal = start_runtime();
    if (!refusal)
        refusal = make_instance();
    if (!refusal && !memory_is_as_compiled())
        refusal = "core refused: its memory has another size than its code was compiled for";
    if (!refusal)
        refusal = check_surface();
    core.ready = !refusal;
    return refusal;
}

const char *
core_start(void)
{
    board_flash_start();
    return build_core();
}

bool
core_ready(void)
{
    return core.ready;
}

uint32_t
core_abi(void)
{
    return core_in_flash.abi;
}

const uint8_t *
core_sha256(void)
{
    return core_in_flash.sha256;
}

uint8_t *
core_mailbox(void)
{
    return core.mailbox;
}

uint32_t
core_mailbox_bytes(void)
{
    return core.mailbox_bytes;
}

/* A fresh runtime counts anew, the board does not. */
static void
note_pool_peak(void)
{
    mem_alloc_info_t info;
    if (wasm_runtime_get_mem_alloc_info(&info) && info.highmark_size > stats.pool_peak)
        stats.pool_peak = info.highmark_size;
}

/* A call under the guard: cells in, result out. */
typedef struct {
    wasm_function_inst_t function;
    uint32_t count;
    uint32_t cells[CORE_MAX_CELLS];
    bool returned;
} guarded_call;

static void
run_guarded(void *argument)
{
    guarded_call *call = argument;
    call->returned = wasm_runtime_call_wasm(core.env, call->function, call->count, call->cells);
}

static uint32_t
report(uint32_t at)
{
    uint32_t value;
    memcpy(&value, core.mailbox - REPORT_BYTES + at, sizeof value);
    return value;
}

static void
add_work(void)
{
    core_imports_work work = core_imports_take_work();
    stats.flash_words += work.flash_words;
    stats.flash_erases += work.flash_erases;
    stats.instructions = board_stopwatch_read();
}

/* The outcome after a trap: a fresh core, as after a restart of the board. Flash is whole at every instant. */
static core_outcome
recover(const char *how)
{
    static char trap[TEXT_BYTES];
    strncpy(trap, how, sizeof trap - 1);
    note_pool_peak();
    const char *refusal = build_core();
    if (refusal)
        app_log(refusal);
    return (core_outcome){ .trap = trap };
}

core_outcome
core_call(core_export call, const uint32_t *cells, uint32_t count)
{
    guarded_call guarded = { .function = core.functions[call], .count = count };
    memcpy(guarded.cells, cells, count * sizeof *cells);
    board_stopwatch_start();
    guard_outcome outcome = board_guard(run_guarded, &guarded);
    board_stopwatch_pause();
    add_work();
    if (outcome >= GUARD_UDF)
        core_set_exception(core.instance, outcome - GUARD_UDF);
    if (outcome == GUARD_FAULT)
        return recover("processor fault, most likely its stack ran out");
    if (outcome != GUARD_RETURNED || !guarded.returned)
        return recover(wasm_runtime_get_exception(core.instance));
    if ((int32_t)guarded.cells[0] > (int32_t)core.mailbox_bytes)
        return recover("an answer longer than the mailbox");
    if (report(REPORT_ARENA) > stats.arena_peak)
        stats.arena_peak = report(REPORT_ARENA);
    return (core_outcome){ .result = (int32_t)guarded.cells[0], .detail = report(REPORT_DETAIL) };
}

core_stats
core_take_stats(void)
{
    note_pool_peak();
    core_stats taken = stats;
    stats.arena_peak = stats.flash_words = stats.flash_erases = 0;
    return taken;
}
