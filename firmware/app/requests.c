#include "requests.h"

#include <string.h>

#include "abi.h"
#include "board.h"
#include "core.h"

enum {
    HELLO = 0x01,
    OPEN,
    RECEIVE,
    ADVERTISE,
    SEAL,
    PEERS,
    SESSION,
    UNPAIR,
    INVITE,
    PAIRING,
    SELFTEST,
    STATS,
    RESET,
    FAULT = 0x40,
};

/* Statuses beside 0 and the error kinds. */
enum { STATUS_OK = 0, STATUS_SHORT = 253, STATUS_UNSUPPORTED = 254, STATUS_TRAP = 255 };

/* Field layouts, byte offsets. */
enum {
    OPEN_MODE = 0,
    OPEN_FIELDS = 1,
    NOW = 0, /* of RECEIVE, ADVERTISE and SEAL */
    NOW_BYTES = 8,
    SEAL_PEER_BYTES = NOW_BYTES,
    SEAL_FIELDS = NOW_BYTES + 1,
    PAIRING_OPEN = 0,
    PAIRING_SECONDS = 1,
    PAIRING_NOW = 5,
    PAIRING_FIELDS = PAIRING_NOW + NOW_BYTES,
    FAULT_AFTER = 0,
    FAULT_KIND = 4,
    FAULT_BITS = 5,
    FAULT_FIELDS = 9,
};

/* `seq` of the request being answered. */
static uint8_t seq;

uint32_t
request_field_bytes(uint8_t type)
{
    switch (type) {
        case OPEN:
            return OPEN_FIELDS;
        case RECEIVE:
        case ADVERTISE:
            return NOW_BYTES;
        case SEAL:
            return SEAL_FIELDS;
        case PAIRING:
            return PAIRING_FIELDS;
        case FAULT:
            return FAULT_FIELDS;
        default:
            return 0;
    }
}

static uint32_t
read_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void
begin_reply(uint8_t type, uint8_t status, uint32_t detail)
{
    link_begin(ANSWER_REPLY | type, seq);
    link_put_u8(status);
    link_put_u32(detail);
}

static void
reply(uint8_t type, uint8_t status, uint32_t detail)
{
    begin_reply(type, status, detail);
    link_end();
}

static void
send(uint8_t type, const void *bytes, uint32_t count)
{
    link_begin(type, seq);
    link_put(bytes, count);
    link_end();
}

void
core_transmit(const uint8_t *frame, uint32_t bytes)
{
    send(ANSWER_TRANSMIT, frame, bytes);
}

void
core_event(const uint8_t *event, uint32_t bytes)
{
    send(ANSWER_EVENT, event, bytes);
}

static void
reply_hello(void)
{
    uint8_t name_bytes = (uint8_t)strlen(board_name);
    begin_reply(HELLO, STATUS_OK, 0);
    link_put_u8(LINK_VERSION);
    link_put_u8((uint8_t)core_abi());
    link_put_u8(IMAGE);
    link_put_u8(name_bytes);
    link_put(board_name, name_bytes);
    link_put(core_sha256(), CORE_SHA256_BYTES);
    link_put_u32(core_mailbox_bytes());
    link_end();
}

void
requests_hello(void)
{
    seq = UNASKED;
    reply_hello();
}

static void
reply_stats(void)
{
    enum { WORD_BYTES = 4 };
    core_stats stats = core_take_stats();
    link_dropped dropped = link_take_dropped();
    begin_reply(STATS, STATUS_OK, 0);
    link_put_u32(stats.flash_words);
    link_put_u32(stats.flash_erases);
    link_put_u32(stats.flash_words * WORD_BYTES);
    link_put_u32(stats.arena_peak);
    link_put_u32(stats.pool_peak);
    link_put_u32(board_stack_peak());
    link_put(&stats.instructions, sizeof stats.instructions);
    link_put_u32(dropped.bad_crc);
    link_put_u32(dropped.bad_length);
    link_end();
}

static void
handle_fault(const link_request *request)
{
    const uint8_t *fields = request->fields;
    uint8_t kind = fields[FAULT_KIND];
    bool planned = kind < FLASH_FAULT_KINDS
                   && board_plan_flash_fault(read_u32(fields + FAULT_AFTER), kind, read_u32(fields + FAULT_BITS));
    reply(FAULT, planned ? STATUS_OK : STATUS_UNSUPPORTED, 0);
}

static void
reply_outcome(uint8_t type, core_outcome outcome)
{
    if (outcome.trap) {
        send(ANSWER_TRAP, outcome.trap, strlen(outcome.trap));
        reply(type, STATUS_TRAP, 0);
    }
    else if (outcome.result < 0) {
        reply(type, (uint8_t)-outcome.result, outcome.detail);
    }
    else {
        begin_reply(type, STATUS_OK, 0);
        link_put(core_mailbox(), (uint32_t)outcome.result);
        link_end();
    }
}

/* The cells of a call whose last argument is the time at `now`. */
static core_outcome
call_now(core_export call, uint32_t first, uint32_t second, uint32_t before, const uint8_t *now)
{
    const uint32_t cells[] = { first, second, read_u32(now), read_u32(now + 4) };
    uint32_t skipped = 2 - before;
    return core_call(call, cells + skipped, CORE_MAX_CELLS - skipped);
}

/* Calls the core. `bytes` is the length of the body, which lies in the mailbox. */
static core_outcome
call_core(const link_request *request, uint32_t bytes)
{
    const uint8_t *fields = request->fields;
    switch (request->type) {
        case OPEN:
            return core_call(CORE_OPEN, (const uint32_t[]){ fields[OPEN_MODE], bytes }, 2);
        case RECEIVE:
            return call_now(CORE_RECEIVE, 0, bytes, 1, fields + NOW);
        case ADVERTISE:
            return call_now(CORE_ADVERTISE, 0, bytes, 1, fields + NOW);
        case SEAL:
            return call_now(CORE_SEAL, fields[SEAL_PEER_BYTES], bytes - fields[SEAL_PEER_BYTES], 2, fields + NOW);
        case PAIRING:
            return call_now(CORE_PAIRING, fields[PAIRING_OPEN], read_u32(fields + PAIRING_SECONDS), 2, fields + PAIRING_NOW);
        case SESSION:
            return core_call(CORE_SESSION, &bytes, 1);
        case UNPAIR:
            return core_call(CORE_UNPAIR, &bytes, 1);
        case INVITE:
            return core_call(CORE_INVITE, &bytes, 1);
        case PEERS:
            return core_call(CORE_PEERS, 0, 0);
        default:
            return core_call(CORE_SELFTEST, 0, 0);
    }
}

static void
handle_core_request(const link_request *request)
{
    uint32_t bytes = request->payload_bytes - request_field_bytes(request->type);
    if (!core_ready())
        reply(request->type, STATUS_UNSUPPORTED, 0);
    else if (request->type == SEAL && request->fields[SEAL_PEER_BYTES] > bytes)
        reply(SEAL, STATUS_SHORT, 0);
    else if (bytes > core_mailbox_bytes())
        reply(request->type, KIND_MALFORMED_FRAME, DETAIL_TOO_LONG);
    else
        reply_outcome(request->type, call_core(request, bytes));
}

void
requests_handle(const link_request *request)
{
    seq = request->seq;
    if (request->payload_bytes < request_field_bytes(request->type)) {
        reply(request->type, STATUS_SHORT, 0);
        return;
    }
    switch (request->type) {
        case HELLO:
            reply_hello();
            break;
        case STATS:
            reply_stats();
            break;
        case RESET:
            reply(RESET, STATUS_OK, 0);
            board_restart();
        case FAULT:
            handle_fault(request);
            break;
        case OPEN:
        case RECEIVE:
        case ADVERTISE:
        case SEAL:
        case PEERS:
        case SESSION:
        case UNPAIR:
        case INVITE:
        case PAIRING:
        case SELFTEST:
            handle_core_request(request);
            break;
        default:
            reply(request->type, STATUS_UNSUPPORTED, 0);
    }
}
