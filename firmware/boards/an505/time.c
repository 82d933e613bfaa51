/* Stopwatch and watchdog. With `-icount shift=0` an instruction takes 1 ns of virtual time. */
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

/* A moment on the timer to the instruction, which is 50 times finer than its tick.
 *
 * The timer is read every 49 instructions, the first time too. It then goes down by one tick each time, but once in 50 reads it does not: between
 * those two reads the distance to time-out, in instructions, went from 50 v + 49 to 50 v. */
typedef struct {
    uint64_t first, last; /* instructions to time-out at the first and at the last read */
} moment;

enum { READ_PERIOD = INSTRUCTIONS_PER_TICK - 1 };

static inline moment
read_moment(void)
{
    uint32_t periods = 0, value = 0, next = 0, delay = 0;
    __asm__ volatile("ldr    %[value], [%[timer], #4]\n"
                     "nop\n"
                     "nop\n"
                     "nop\n"
                     "1:\n"
                     "nop\n"
                     "adds   %[periods], #1\n"
                     "movs   %[delay], #21\n"
                     "2:\n"
                     "subs   %[delay], #1\n"
                     "bne    2b\n"
                     "ldr    %[next], [%[timer], #4]\n"
                     "cmp    %[value], %[next]\n"
                     "mov    %[value], %[next]\n"
                     "bne    1b\n"
                     : [periods] "+l"(periods), [value] "+l"(value), [next] "+l"(next), [delay] "+l"(delay)
                     : [timer] "l"(TIMER0)
                     : "cc", "memory");
    uint64_t last = (uint64_t)value * INSTRUCTIONS_PER_TICK;
    return (moment){ .first = last + periods * READ_PERIOD, .last = last };
}

static uint64_t started, elapsed;

void
board_stopwatch_resume(void)
{
    started = read_moment().last;
}

void
board_stopwatch_start(void)
{
    elapsed = 0;
    board_stopwatch_resume();
}

void
board_stopwatch_pause(void)
{
    uint64_t now = read_moment().first;
    uint64_t span = started - now;
    if (started < now) /* the timer went round, once */
        span += ((uint64_t)UINT32_MAX + 1) * INSTRUCTIONS_PER_TICK;
    elapsed += span;
}

uint64_t
board_stopwatch_read(void)
{
    return elapsed;
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
