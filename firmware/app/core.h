/* The core and its host. core.c runs it under WAMR; an image without a core has core_none.c. */
#ifndef OFFLEAF_CORE_H
#define OFFLEAF_CORE_H

#include <stdbool.h>
#include <stdint.h>

/* Exports that are called by a request (docs/abi.md). */
typedef enum {
    CORE_OPEN,
    CORE_RECEIVE,
    CORE_ADVERTISE,
    CORE_SEAL,
    CORE_PEERS,
    CORE_SESSION,
    CORE_UNPAIR,
    CORE_INVITE,
    CORE_PAIRING,
    CORE_SELFTEST,
    CORE_CALLS
} core_export;

/* Most arguments of an export, in 32-bit cells (an i64 takes two, low one first). */
enum { CORE_MAX_CELLS = 4 };

enum { CORE_SHA256_BYTES = 32 };

typedef struct {
    /* Not 0: the core trapped, this says how, and a fresh one stands ready. */
    const char *trap;
    /* Of the export: bytes of answer in the mailbox, or minus an error kind. */
    int32_t result;
    /* Detail code of a refusal. */
    uint32_t detail;
} core_outcome;

typedef struct {
    uint32_t arena_peak;          /* since the last core_take_stats() */
    uint32_t flash_words;         /* programmed, since the last core_take_stats() */
    uint32_t flash_erases;        /* since the last core_take_stats() */
    uint32_t pool_peak;           /* since boot */
    uint64_t instructions;        /* of the last call, without the sending of frames and events */
} core_stats;

/* Loads the core and makes an instance. 0, or why there is none. */
const char *core_start(void);

/* A core stands ready. */
bool core_ready(void);

/* ABI version and SHA-256 of the WebAssembly module; zero without a core. */
uint32_t core_abi(void);
const uint8_t *core_sha256(void);

/* The mailbox, 0 without a core. It moves when the core traps. */
uint8_t *core_mailbox(void);
uint32_t core_mailbox_bytes(void);

/* Calls an export with `count` cells. Frames and events go out by core_transmit and core_event. */
core_outcome core_call(core_export call, const uint32_t *cells, uint32_t count);

core_stats core_take_stats(void);

/* Given by the application: what the core sends during a call. */
void core_transmit(const uint8_t *frame, uint32_t bytes);
void core_event(const uint8_t *event, uint32_t bytes);

#endif
