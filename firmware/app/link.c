#include "link.h"

#include "board.h"
#include "crc32.h"

/* SLIP (RFC 1055). */
enum { END = 0xc0, ESC = 0xdb, ESC_END = 0xdc, ESC_ESC = 0xdd };

enum { HEADER_BYTES = 2, CRC_BYTES = 4 };

/* What next_octet gives beside octets. */
enum { FRAME_END = -1, NO_OCTET = -2 };

static link_dropped dropped;
static uint32_t sent_crc;

/* The next octet of a frame, FRAME_END, or NO_OCTET for an escape that stands for nothing. An END inside an escape is
 * an END: a sender that was cut off is not heard twice. */
static int
next_octet(void)
{
    uint8_t byte = board_link_read();
    if (byte == END)
        return FRAME_END;
    if (byte != ESC)
        return byte;
    byte = board_link_read();
    if (byte == END)
        return FRAME_END;
    return byte == ESC_END ? END : byte == ESC_ESC ? ESC : NO_OCTET;
}

/* Puts octet number `at` of a frame where it belongs. The CRC lands behind the payload, where it harms nothing. */
static void
place(link_request *request, const link_sink *sink, uint32_t at, uint8_t octet)
{
    if (at == 0) {
        request->type = octet;
    }
    else if (at == 1) {
        request->seq = octet;
    }
    else {
        uint32_t payload_at = at - HEADER_BYTES, field_bytes = sink->field_bytes(request->type);
        if (payload_at < field_bytes)
            request->fields[payload_at] = octet;
        else if (payload_at - field_bytes < sink->capacity)
            sink->body[payload_at - field_bytes] = octet;
    }
}

/* Reads up to the next END. True when that made a whole frame. */
static bool
receive_frame(link_request *request, const link_sink *sink)
{
    uint32_t count = 0, crc = CRC32_START;
    bool damaged = false;
    for (int octet; (octet = next_octet()) != FRAME_END;) {
        if (octet == NO_OCTET || count == UINT32_MAX) {
            damaged = true;
            continue;
        }
        crc = crc32_add(crc, (uint8_t)octet);
        place(request, sink, count++, (uint8_t)octet);
    }
    if (count == 0 && !damaged)
        return false;
    if (count < HEADER_BYTES + CRC_BYTES) {
        dropped.bad_length++;
        return false;
    }
    if (damaged || crc != CRC32_RESIDUE) {
        dropped.bad_crc++;
        return false;
    }
    request->payload_bytes = count - HEADER_BYTES - CRC_BYTES;
    return true;
}

void
link_receive(link_request *request, const link_sink *sink)
{
    while (!receive_frame(request, sink))
        ;
}

static void
write_octet(uint8_t octet)
{
    if (octet == END || octet == ESC) {
        board_link_write(ESC);
        octet = octet == END ? ESC_END : ESC_ESC;
    }
    board_link_write(octet);
}

void
link_put_u8(uint8_t value)
{
    sent_crc = crc32_add(sent_crc, value);
    write_octet(value);
}

void
link_put(const void *bytes, uint32_t count)
{
    for (const uint8_t *at = bytes; count > 0; count--)
        link_put_u8(*at++);
}

void
link_put_u32(uint32_t value)
{
    link_put(&value, sizeof value); /* the part is little endian, as the link */
}

void
link_begin(uint8_t type, uint8_t seq)
{
    board_link_write(END);
    sent_crc = CRC32_START;
    link_put_u8(type);
    link_put_u8(seq);
}

void
link_end(void)
{
    link_put_u32(~sent_crc);
    board_link_write(END);
}

link_dropped
link_take_dropped(void)
{
    link_dropped taken = dropped;
    dropped = (link_dropped){ 0 };
    return taken;
}
