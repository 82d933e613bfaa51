/* Entropy: the random device of the emulator's host. */
#include "board.h"
#include "semihosting.h"

bool
board_entropy(void *into, uint32_t bytes)
{
    static int32_t file = -1;
    if (file < 0)
        file = host_open("/dev/urandom", HOST_OPEN_READ);
    return file >= 0 && (bytes == 0 || host_read_next(file, into, bytes));
}
