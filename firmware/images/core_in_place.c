/* Code compiled ahead of time runs where it lies. */
#include "core_image.h"

const uint8_t *
core_file(void)
{
    return core_in_flash.file;
}
