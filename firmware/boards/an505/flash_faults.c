#include "flash_faults.h"

static const uint32_t ALL_BITS = 0xffffffff;

static flash_fault_kind planned;
static uint32_t operations_left;
static uint32_t seed;
static uint32_t state;

bool
board_plan_flash_fault(uint32_t after, flash_fault_kind kind, uint32_t bits)
{
    planned = kind;
    operations_left = after;
    seed = bits;
    state = bits;
    return true;
}

flash_fault_kind
flash_fault_strikes(void)
{
    flash_fault_kind fault = planned;
    if (fault == FLASH_FAULT_NONE)
        return FLASH_FAULT_NONE;
    if (operations_left > 0) {
        operations_left--;
        return FLASH_FAULT_NONE;
    }
    planned = FLASH_FAULT_NONE;
    return fault;
}

/* splitmix32, so that a seed means the same on every board; the two ends of its range mean none and all. */
uint32_t
flash_fault_mask(void)
{
    if (seed == 0 || seed == ALL_BITS)
        return seed;
    state += 0x9e3779b9;
    uint32_t z = state;
    z = (z ^ (z >> 16)) * 0x21f0aaad;
    z = (z ^ (z >> 15)) * 0x735a2d97;
    return z ^ (z >> 15);
}
