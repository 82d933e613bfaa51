/* Image for tests: breaks the board's rules on request, one way per request type, to show that each is kept. */
#include <string.h>

#include "board.h"
#include "link.h"

enum {
    WRITE_CODE = 1,
    RAISE_BIT,
    PROGRAM_TWICE,
    PROGRAM_OUTSIDE,
    PROGRAM_UNALIGNED,
    ERASE_OUTSIDE,
    READ_NULL,
    RUN_FROM_RAM,
    OVERFLOW_STACK,
    OVERFLOW_STACK_GUARDED,
    WRITE_CODE_GUARDED,
    HANG,
    MEASURE,
    UDF_GUARDED,
    UNWIND_GUARDED,
    RETURN_GUARDED,
};

enum { ANSWER_LOG = 0x72, ANSWER_REPLY = 0x80 };

void
app_log(const char *text)
{
    link_begin(ANSWER_LOG, 0);
    link_put(text, strlen(text));
    link_end();
}

/* An address that the compiler cannot see through. */
static uintptr_t
opaque(uintptr_t address)
{
    __asm__ volatile("" : "+r"(address));
    return address;
}

static void
write_code(void *unused)
{
    (void)unused;
    *(volatile uint32_t *)opaque((uintptr_t)board_name) = 0;
}

/* Not a tail call, and not a loop: each level has its frame. */
__attribute__((noinline)) static uint32_t
recurse(uint32_t depth)
{
    volatile uint32_t frame[8] = { depth };
    return depth == UINT32_MAX ? 0 : recurse(depth + 1) + frame[0];
}

static void
overflow_stack(void *unused)
{
    (void)unused;
    recurse(0);
}

static void
run_udf(void *unused)
{
    (void)unused;
    __asm__ volatile("udf #42");
}

static void
unwind(void *unused)
{
    (void)unused;
    board_unwind();
}

static void
do_nothing(void *unused)
{
    (void)unused;
}

static void
run_from_ram(void)
{
    static const uint16_t RETURN[] = { 0x4770 }; /* bx lr */
    uint16_t code[2];
    memcpy(code, RETURN, sizeof RETURN);
    ((void (*)(void))((uintptr_t)code | 1))();
}

/* A loop of exactly LOOPS x 2 instructions, for the counter. */
static uint64_t
measure(void)
{
    enum { LOOPS = 100000 };
    uint32_t left = LOOPS;
    board_stopwatch_start();
    __asm__ volatile("1: subs %0, #1\n bne 1b" : "+r"(left)::"cc");
    board_stopwatch_pause();
    return board_stopwatch_read();
}

/* Long blocks, which the emulator runs 20 times faster than an empty loop. */
_Noreturn __attribute__((noinline)) static void
hang(void)
{
    board_watchdog(true);
    for (;;)
        __asm__ volatile(".rept 500\n nop\n .endr");
}

static uint64_t
break_rule(uint8_t rule)
{
    switch (rule) {
        case WRITE_CODE:
            write_code(0);
            return 0;
        case RAISE_BIT:
            board_flash_program(0, 0xfffffff0);
            return board_flash_program(0, 0xffffffff);
        case PROGRAM_TWICE:
            board_flash_program(0, 0xfffffff0);
            return board_flash_program(0, 0xffffff00);
        case PROGRAM_OUTSIDE:
            return board_flash_program(BOARD_FLASH_BYTES, 0);
        case PROGRAM_UNALIGNED:
            return board_flash_program(2, 0);
        case ERASE_OUTSIDE:
            return board_flash_erase(BOARD_FLASH_PAGES);
        case READ_NULL:
            return *(volatile uint32_t *)opaque(0);
        case RUN_FROM_RAM:
            run_from_ram();
            return 0;
        case OVERFLOW_STACK:
            overflow_stack(0);
            return 0;
        case OVERFLOW_STACK_GUARDED:
            return board_guard(overflow_stack, 0);
        case WRITE_CODE_GUARDED:
            return board_guard(write_code, 0);
        case UDF_GUARDED:
            return board_guard(run_udf, 0);
        case UNWIND_GUARDED:
            return board_guard(unwind, 0);
        case RETURN_GUARDED:
            return board_guard(do_nothing, 0);
        case HANG:
            hang();
        case MEASURE:
            return measure();
        default:
            return 0;
    }
}

static uint32_t
no_fields(uint8_t type)
{
    (void)type;
    return 0;
}

/* Answers a request that it survives with a REPLY whose answer is the u64 that came of it. */
_Noreturn void
app_main(void)
{
    board_flash_start();
    app_log("drill ready");
    for (;;) {
        static uint8_t body[4];
        link_request request;
        link_receive(&request, &(link_sink){ no_fields, body, sizeof body });
        uint64_t result = break_rule(request.type);
        link_begin(ANSWER_REPLY | request.type, request.seq);
        link_put_u8(0);
        link_put_u32(0);
        link_put(&result, sizeof result);
        link_end();
    }
}
