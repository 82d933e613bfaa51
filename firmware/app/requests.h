/* Requests of the computer and their answers (docs/link.md). */
#ifndef OFFLEAF_REQUESTS_H
#define OFFLEAF_REQUESTS_H

#include "link.h"

enum {
    ANSWER_TRANSMIT = 0x70,
    ANSWER_EVENT = 0x71,
    ANSWER_LOG = 0x72,
    ANSWER_TRAP = 0x73,
    ANSWER_REPLY = 0x80,
};

/* `seq` of what no request asked for. */
enum { UNASKED = 0 };

/* Images, as HELLO names them. */
enum { IMAGE_BASELINE, IMAGE_LEAF, IMAGE_LEAF_INTERP, IMAGE_FLOOR };

/* Bytes of fields before the body of a request. */
uint32_t request_field_bytes(uint8_t type);

/* Answers a request. */
void requests_handle(const link_request *request);

/* The HELLO reply that nobody asked for. */
void requests_hello(void);

#endif
