/* An image without a core. */
#include "core.h"

const char *
core_start(void)
{
    return 0;
}

bool
core_ready(void)
{
    return false;
}

uint32_t
core_abi(void)
{
    return 0;
}

const uint8_t *
core_sha256(void)
{
    static const uint8_t none[CORE_SHA256_BYTES];
    return none;
}

uint8_t *
core_mailbox(void)
{
    return 0;
}

uint32_t
core_mailbox_bytes(void)
{
    return 0;
}

core_outcome
core_call(core_export call, const uint32_t *cells, uint32_t count)
{
    (void)call;
    (void)cells;
    (void)count;
    return (core_outcome){ .trap = "no core" };
}

core_stats
core_take_stats(void)
{
    return (core_stats){ 0 };
}
