/* All that a board owes the application. How to bring up another one: docs/porting.md.
 *
 * A board calls app_main() from its reset handler when everything below works. One thread of execution; no function
 * here is called from an interrupt. */
#ifndef OFFLEAF_BOARD_H
#define OFFLEAF_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the board hands over. Does not return. */
_Noreturn void app_main(void);

/* Given by the application: sends a line of text to the computer. Works in a fault handler too. */
void app_log(const char *text);

/* Name in the HELLO reply, at most 32 characters. */
extern const char board_name[];

/* ---- link: a byte stream to the computer ---- */

/* The next byte. Sleeps until there is one. Bytes that arrive while nobody reads wait on the other side. */
uint8_t board_link_read(void);

/* Sends a byte. Waits while the other side is full. */
void board_link_write(uint8_t byte);

/* Returns when the last byte has left the board. */
void board_link_flush(void);

/* ---- flash of the journal: NOR, 32-bit words, pages ---- */

enum {
    BOARD_FLASH_PAGES = 8,
    BOARD_FLASH_PAGE_LOG2 = 13,
    BOARD_FLASH_PAGE_BYTES = 1 << BOARD_FLASH_PAGE_LOG2,
    BOARD_FLASH_BYTES = BOARD_FLASH_PAGES * BOARD_FLASH_PAGE_BYTES,
};

/* Makes flash and device key ready. Once, before their first use; an image without a core never calls it. */
void board_flash_start(void);

/* Copies `bytes` bytes from `at`, any alignment. False when the part failed. */
bool board_flash_read(uint32_t at, void *into, uint32_t bytes);

/* Programs the aligned word at `at`, which must be erased: a bit goes from 1 to 0 only. The word is durable on
 * return. False when the part reported failure. A range outside, or a word that is not erased, is a fault. */
bool board_flash_program(uint32_t at, uint32_t word);

/* Sets a page to FF. False when the part reported failure. */
bool board_flash_erase(uint32_t page);

/* ---- secrets ---- */

/* Fills from the hardware entropy source. False when the source failed. */
bool board_entropy(void *into, uint32_t bytes);

enum { BOARD_DEVICE_KEY_BYTES = 32 };

/* The key of this part: random, fixed for its life, readable by nobody but the firmware. False when it failed. */
bool board_device_key(uint8_t key[BOARD_DEVICE_KEY_BYTES]);

/* ---- time ---- */

/* A stopwatch for the cost of a piece of code: in instructions where the board can count them, else in clock cycles.
 * `start` sets it to zero and running; it is read while it is paused. Good for spans of some minutes. */
void board_stopwatch_start(void);
void board_stopwatch_pause(void);
void board_stopwatch_resume(void);
uint64_t board_stopwatch_read(void);

/* While on, the board restarts unless it is turned off within BOARD_WATCHDOG_SECONDS. */
void board_watchdog(bool on);

enum { BOARD_WATCHDOG_SECONDS = 10 };

/* ---- stack ---- */

/* Lowest address of the stack of app_main; an access below it faults. */
uint8_t *board_stack_limit(void);

/* Most bytes of that stack that were ever used. */
uint32_t board_stack_peak(void);

/* ---- trouble ---- */

/* Restarts the board. */
_Noreturn void board_restart(void);

/* Ends on a fault of the firmware: reports `what` over the link as a LOG frame, then stops or restarts, as the board
 * sees fit. */
_Noreturn void board_fault(const char *what);

typedef enum {
    GUARD_RETURNED,  /* the function returned */
    GUARD_UNWOUND,   /* it called board_unwind() */
    GUARD_FAULT,     /* a processor fault ended it: stack limit, memory protection */
    GUARD_UDF = 256, /* and up: the instruction `udf #n` ended it, n is added */
} guard_outcome;

/* Runs `function(argument)` and survives processor faults in it. When it did not return, its stack frames are gone and
 * whatever it was changing is half changed. One guard at a time. */
guard_outcome board_guard(void (*function)(void *), void *argument);

/* Ends the function of the running guard. */
_Noreturn void board_unwind(void);

/* ---- planned faults of the flash, emulated boards only ---- */

typedef enum { FLASH_FAULT_NONE, FLASH_FAULT_CUT, FLASH_FAULT_TEAR, FLASH_FAULT_ERROR, FLASH_FAULT_KINDS } flash_fault_kind;

/* After `after` more flash operations the next one is struck (docs/link.md). False: this board cannot. */
bool board_plan_flash_fault(uint32_t after, flash_fault_kind kind, uint32_t bits);

#endif
