#include "m33.h"

#include <string.h>

#include "board.h"

/* System control space (Armv8-M Architecture Reference Manual, D1.1). */
#define REGISTER(address) (*(volatile uint32_t *)(address))
#define NVIC_ISER(word) REGISTER(0xe000e100 + 4 * (word))
#define NVIC_ICPR(word) REGISTER(0xe000e280 + 4 * (word))
#define AIRCR REGISTER(0xe000ed0c)
#define CFSR REGISTER(0xe000ed28)
#define HFSR REGISTER(0xe000ed2c)
#define MPU_CTRL REGISTER(0xe000ed94)
#define MPU_RNR REGISTER(0xe000ed98)
#define MPU_RBAR REGISTER(0xe000ed9c)
#define MPU_RLAR REGISTER(0xe000eda0)
#define MPU_MAIR0 REGISTER(0xe000edc0)

enum {
    AIRCR_SYSTEM_RESET = 0x05fa0004,
    MPU_CTRL_ENABLE = 1,
    RBAR_EXECUTE_NEVER = 1 << 0,
    RBAR_READ_WRITE = 1 << 1, /* privileged only */
    RBAR_READ_ONLY = 2 << 1,
    RLAR_ENABLE = 1 << 0,
    RLAR_ATTRIBUTE_DEVICE = 1 << 1,
    MAIR_NORMAL_WRITE_THROUGH = 0xaa, /* attribute 0 */
    MAIR_DEVICE = 0x00,               /* attribute 1 */
    REGION_MASK = ~31,
};

/* Bounds of the linker script. */
extern uint32_t m33_data_start[], m33_data_end[], m33_data_image[], m33_bss_start[], m33_bss_end[];
extern uint8_t m33_stack_limit[], m33_stack_top[];

static const uint32_t PAINT = 0xa5a5a5a5;

static inline uint32_t *
stack_pointer(void)
{
    uint32_t *sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return sp;
}

/* Second half of reset, on the application's stack. */
__attribute__((used)) static void
start_c(void)
{
    for (uint32_t *word = (uint32_t *)m33_stack_limit; word < stack_pointer(); word++)
        *word = PAINT;
    memcpy(m33_data_start, m33_data_image, (size_t)((uint8_t *)m33_data_end - (uint8_t *)m33_data_start));
    memset(m33_bss_start, 0, (size_t)((uint8_t *)m33_bss_end - (uint8_t *)m33_bss_start));
    board_start();
}

__attribute__((naked)) void
m33_reset(void)
{
    __asm__("cpsid  i\n"
            "ldr    r0, =m33_handler_stack_limit\n"
            "msr    msplim, r0\n"
            "ldr    r0, =m33_stack_limit\n"
            "msr    psplim, r0\n"
            "ldr    r0, =m33_stack_top\n"
            "msr    psp, r0\n"
            "movs   r0, #2\n" /* CONTROL.SPSEL: thread mode on PSP */
            "msr    control, r0\n"
            "isb\n"
            "b      start_c\n");
}

uint8_t *
board_stack_limit(void)
{
    return m33_stack_limit;
}

uint32_t
board_stack_peak(void)
{
    const uint32_t *word = (const uint32_t *)m33_stack_limit;
    while (*word == PAINT)
        word++;
    return (uint32_t)(m33_stack_top - (const uint8_t *)word);
}

void
mpu_start(const mpu_region *regions, uint32_t count)
{
    MPU_MAIR0 = MAIR_NORMAL_WRITE_THROUGH | MAIR_DEVICE << 8;
    for (uint32_t i = 0; i < count; i++) {
        const mpu_region *region = &regions[i];
        MPU_RNR = i;
        MPU_RBAR = region->first | (region->access & MPU_READ_WRITE ? 0 : RBAR_READ_ONLY)
                   | (region->access & MPU_EXECUTE ? 0 : RBAR_EXECUTE_NEVER);
        MPU_RLAR = (region->last & REGION_MASK) | (region->access & MPU_DEVICE ? RLAR_ATTRIBUTE_DEVICE : 0) | RLAR_ENABLE;
    }
    MPU_CTRL = MPU_CTRL_ENABLE;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

void
nvic_enable(uint32_t irq)
{
    NVIC_ISER(irq / 32) = 1u << irq % 32;
}

void
nvic_clear_pending(uint32_t irq)
{
    NVIC_ICPR(irq / 32) = 1u << irq % 32;
}

_Noreturn void
m33_system_reset(void)
{
    __asm__ volatile("dsb" ::: "memory");
    AIRCR = AIRCR_SYSTEM_RESET;
    for (;;)
        ;
}

static char *
append_hex(char *at, uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[value >> shift & 15];
    return at;
}

static char *
append(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

/* Place of the program counter in what the processor stacks (r0 to r3, r12, lr, pc, xpsr). */
enum { FRAME_PC = 6 };

/* A fault that no guard takes. */
__attribute__((used)) static void
report_fault(const uint32_t *frame)
{
    static char text[64];
    char *at = append(text, "fault: status ");
    at = append_hex(at, CFSR);
    at = append(at, " at ");
    /* After a stack overflow there is no frame to read. */
    at = append_hex(at, (const uint8_t *)frame < m33_stack_limit ? 0 : frame[FRAME_PC]);
    *at = 0;
    board_fault(text);
}

/* Stack pointer of the running board_guard(), or 0. */
__attribute__((used)) static uint32_t guard_sp;

/* What the fault means for the guard; forgets it, so that the next one is told apart. `frame` as in report_fault. */
__attribute__((used)) static guard_outcome
take_fault(const uint32_t *frame)
{
    enum { CFSR_UNDEFINED_INSTRUCTION = 1 << 16, UDF = 0xde00, UDF_MASK = 0xff00 };
    guard_outcome outcome = GUARD_FAULT;
    if (CFSR == CFSR_UNDEFINED_INSTRUCTION) {
        uint16_t instruction = *(const uint16_t *)frame[FRAME_PC];
        if ((instruction & UDF_MASK) == UDF)
            outcome = GUARD_UDF + (instruction & ~UDF_MASK);
    }
    CFSR = UINT32_MAX;
    HFSR = UINT32_MAX;
    return outcome;
}

/* Ends the guard by an exception return to guard_leave on the stack that it had: a new frame (8 words) below guard_sp stands
 * for the one of the fault. Its r0 is the outcome. */
__attribute__((naked)) void
m33_hard_fault(void)
{
    __asm__("mrs    r0, psp\n"
            "ldr    r2, =guard_sp\n"
            "ldr    r4, [r2]\n"
            "cbz    r4, 1f\n"
            "bl     take_fault\n"
            "subs   r4, #32\n"
            "str    r0, [r4]\n"
            "ldr    r1, =guard_leave\n"
            "bic    r1, #1\n"
            "str    r1, [r4, #24]\n"
            "mov    r1, #0x01000000\n" /* xPSR.T */
            "str    r1, [r4, #28]\n"
            "msr    psp, r4\n"
            "ldr    lr, =0xfffffffd\n" /* to thread mode, PSP, no floating-point frame */
            "bx     lr\n"
            "1:\n"
            "b      report_fault\n");
}

/* guard_leave wants the outcome in r0, and the stack as the guard left it. */
__attribute__((naked)) guard_outcome
board_guard(void (*function)(void *) __attribute__((unused)), void *argument __attribute__((unused)))
{
    __asm__("push   {r3-r11, lr}\n" /* r3 keeps the stack 8-aligned */
            "ldr    r2, =guard_sp\n"
            "str    sp, [r2]\n"
            "mov    r3, r0\n"
            "mov    r0, r1\n"
            "blx    r3\n"
            "movs   r0, #0\n" /* GUARD_RETURNED */
            ".thumb_func\n"
            "guard_leave:\n"
            "ldr    r2, =guard_sp\n"
            "movs   r1, #0\n"
            "str    r1, [r2]\n"
            "pop    {r3-r11, pc}\n");
}

__attribute__((naked)) void
board_unwind(void)
{
    __asm__("ldr    r2, =guard_sp\n"
            "ldr    r2, [r2]\n"
            "mov    sp, r2\n"
            "movs   r0, #1\n" /* GUARD_UNWOUND */
            "b      guard_leave\n");
}
