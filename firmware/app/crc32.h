/* CRC-32 of IEEE 802.3, reflected. */
#ifndef OFFLEAF_CRC32_H
#define OFFLEAF_CRC32_H

#include <stdint.h>

/* Register before the first byte; the CRC is its complement after the last one. */
#define CRC32_START UINT32_MAX

/* Register after a message that is followed by its own CRC in little endian. */
#define CRC32_RESIDUE 0xdebb20e3u

uint32_t crc32_add(uint32_t crc, uint8_t byte);

#endif
