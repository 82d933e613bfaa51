/* Instruction count and watchdog. With `-icount shift=0` an instruction takes 1 ns of virtual time. */
#include "board.h"
#include "m33.h"

enum {
    CLOCK_HZ = 20000000,
    INSTRUCTIONS_PER_TICK = 50,
};

/* CMSDK TIMER0, counting down at CLOCK_HZ. */
typedef struct {
    volatile uint32_t control, value, reload, interrupt;
} cmsdk_timer;

#define TIMER0 ((cmsdk_timer *)0x50000000)

/* CMSDK watchdog, secure. Its first time-out is an NMI, its second a reset. */
typedef struct {
    volatile uint32_t load, value, control, clear;
} cmsdk_watchdog;

#define WATCHDOG ((cmsdk_watchdog *)0x50081000)
#define WATCHDOG_LOCK (*(volatile uint32_t *)0x50081c00)

enum {
    TIMER_ENABLE = 1 << 0,
    WATCHDOG_INTERRUPT = 1 << 0,
    WATCHDOG_RESET = 1 << 1,
    WATCHDOG_UNLOCK = 0x1acce551,
};

void
time_start(void)
{
    TIMER0->reload = UINT32_MAX;
    TIMER0->value = UINT32_MAX;
    TIMER0->control = TIMER_ENABLE;
}

uint64_t
board_count(void)
{
    static uint32_t last = UINT32_MAX;
    static uint64_t ticks;
    uint32_t now = TIMER0->value;
    ticks += (uint32_t)(last - now);
    last = now;
    return ticks * INSTRUCTIONS_PER_TICK;
}

void
board_watchdog(bool on)
{
    WATCHDOG_LOCK = WATCHDOG_UNLOCK;
    WATCHDOG->load = BOARD_WATCHDOG_SECONDS * CLOCK_HZ;
    WATCHDOG->control = on ? WATCHDOG_INTERRUPT | WATCHDOG_RESET : 0;
}

void
nmi_handler(void)
{
    board_restart();
}
