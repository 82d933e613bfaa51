/* Start-up of the emulated board, its memory map, and how it ends. */
#include "board.h"
#include "exit.h"
#include "m33.h"
#include "semihosting.h"

void uart_start(void);
void time_start(void);
void nmi_handler(void);

const char board_name[] = "an505";

/* Vectors of the core; interrupts stay masked and need none. */
__attribute__((section(".vectors"), used)) static const vector vectors[] = {
    { .stack = m33_handler_stack_top },
    { .handler = m33_reset },
    { .handler = nmi_handler },
    { .handler = m33_hard_fault },
};

/* QEMU lets code write to its own memory; a part has flash there. */
static const mpu_region MEMORY[] = {
    { 0x10000000, 0x103fffff, MPU_READ_ONLY | MPU_EXECUTE },
    { 0x38000000, 0x3803ffff, MPU_READ_WRITE },
    { 0x50000000, 0x5fffffff, MPU_READ_WRITE | MPU_DEVICE },
};

_Noreturn void
board_start(void)
{
    mpu_start(MEMORY, sizeof MEMORY / sizeof MEMORY[0]);
    uart_start();
    time_start();
    app_main();
}

_Noreturn void
board_restart(void)
{
    board_link_flush();
    m33_system_reset();
}

_Noreturn void
board_fault(const char *what)
{
    app_log(what);
    board_link_flush();
    host_exit(EXIT_FAULT);
}
