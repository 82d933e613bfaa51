/* qsort for the runtime's tables of a dozen names, in place of newlib's 1.5 KiB. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void
swap(uint8_t *a, uint8_t *b, size_t size)
{
    for (; size > 0; size--, a++, b++) {
        uint8_t byte = *a;
        *a = *b;
        *b = byte;
    }
}

/* Insertion sort. */
void
qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    uint8_t *first = base, *end = first + count * size;
    for (uint8_t *next = first; next < end; next += size)
        for (uint8_t *at = next; at > first && compare(at - size, at) > 0; at -= size)
            swap(at - size, at, size);
}
