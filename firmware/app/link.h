/* Link to the computer: frames over the board's byte stream (docs/link.md). */
#ifndef OFFLEAF_LINK_H
#define OFFLEAF_LINK_H

#include <stdbool.h>
#include <stdint.h>

enum { LINK_VERSION = 1 };

/* Most bytes of fields that stand before the body of a request. */
enum { LINK_MAX_FIELD_BYTES = 13 };

typedef struct {
    uint8_t type, seq;
    uint8_t fields[LINK_MAX_FIELD_BYTES];
    uint32_t payload_bytes;
} link_request;

/* Where the payload of a request goes: its first `field_bytes(type)` bytes to link_request.fields, the rest to
 * `body`, as far as it fits into `capacity`. What stands there is overwritten by noise too. */
typedef struct {
    uint32_t (*field_bytes)(uint8_t type);
    uint8_t *body;
    uint32_t capacity;
} link_sink;

/* Waits for the next whole frame. */
void link_receive(link_request *request, const link_sink *sink);

/* Sends a frame: begin, any number of pieces, end. */
void link_begin(uint8_t type, uint8_t seq);
void link_put(const void *bytes, uint32_t count);
void link_put_u8(uint8_t value);
void link_put_u32(uint32_t value);
void link_end(void);

typedef struct {
    uint32_t bad_crc, bad_length;
} link_dropped;

/* Frames that were dropped since the last call. */
link_dropped link_take_dropped(void);

#endif
