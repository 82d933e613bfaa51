/* What every board with a Cortex-M33 shares: start of C, stack limits, faults, memory protection. */
#ifndef M33_H
#define M33_H

#include <stdint.h>

/* An entry of the vector table. */
typedef union {
    void *stack;
    void (*handler)(void);
} vector;

/* Top of the stack of handlers (linker script). The application has its own, on PSP. */
extern uint8_t m33_handler_stack_top[];

/* Reset: sets up stacks and RAM, then calls board_start(). */
void m33_reset(void);

/* Given by the board: starts clocks and peripherals, then calls app_main(). */
_Noreturn void board_start(void);

/* All processor faults arrive here, as none of the finer ones is enabled. Ends the running board_guard(), or
 * calls board_fault() with the fault status and the program counter. */
void m33_hard_fault(void);

_Noreturn void m33_system_reset(void);

typedef enum {
    MPU_READ_ONLY = 1 << 0,
    MPU_READ_WRITE = 1 << 1,
    MPU_EXECUTE = 1 << 2,
    MPU_DEVICE = 1 << 3,
} mpu_access;

typedef struct {
    uint32_t first, last; /* multiples of 32, and of 32 less one */
    uint32_t access;      /* of mpu_access */
} mpu_region;

/* From now on only these regions exist (and the processor's own). */
void mpu_start(const mpu_region *regions, uint32_t count);

void nvic_enable(uint32_t irq);
void nvic_clear_pending(uint32_t irq);

static inline void
wait_for_interrupt(void)
{
    __asm__ volatile("dsb\n\twfi" ::: "memory");
}

#endif
