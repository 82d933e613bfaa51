/* The link: CMSDK UART0. One byte of buffer each way; QEMU holds the rest back. */
#include "board.h"
#include "m33.h"

typedef struct {
    volatile uint32_t data, state, control, interrupt, divider;
} cmsdk_uart;

#define UART0 ((cmsdk_uart *)0x50200000)

enum {
    STATE_TX_FULL = 1 << 0,
    STATE_RX_FULL = 1 << 1,
    CONTROL_TX = 1 << 0,
    CONTROL_RX = 1 << 1,
    CONTROL_RX_INTERRUPT = 1 << 3,
    INTERRUPT_RX = 1 << 1,
    UART0_RX_IRQ = 32,
    LOOKS_BEFORE_SLEEP = 20000, /* 0.1 ms: waking the emulator for each byte of a frame takes three times as long */
    DIVIDER = 174, /* 20 MHz / 115,200 */
};

void
uart_start(void)
{
    UART0->divider = DIVIDER;
    UART0->control = CONTROL_TX | CONTROL_RX | CONTROL_RX_INTERRUPT;
    nvic_enable(UART0_RX_IRQ);
}

/* Interrupts stay masked: the pending one only ends the sleep. */
static void
sleep_until_byte(void)
{
    UART0->interrupt = INTERRUPT_RX;
    nvic_clear_pending(UART0_RX_IRQ);
    if (!(UART0->state & STATE_RX_FULL))
        wait_for_interrupt();
}

uint8_t
board_link_read(void)
{
    for (uint32_t looks = 0; !(UART0->state & STATE_RX_FULL); looks++)
        if (looks >= LOOKS_BEFORE_SLEEP)
            sleep_until_byte();
    return (uint8_t)UART0->data;
}

void
board_link_write(uint8_t byte)
{
    while (UART0->state & STATE_TX_FULL)
        ;
    UART0->data = byte;
}

void
board_link_flush(void)
{
    while (UART0->state & STATE_TX_FULL)
        ;
}
