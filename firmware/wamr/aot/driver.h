/* What the files of aotc share. */
#ifndef AOTC_DRIVER_H
#define AOTC_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct AOTCompContext;

/* Sets `minsize` on every function but those whose index stands in the file `hot_path`. False, with a message,
 * when the file cannot be read or names no function of the module. */
bool
optimize_for_size(struct AOTCompContext *context, const char *hot_path);

/* The compiled code calls nothing of the runtime but what port/xip_symbols.h has. Names what else, if not. */
bool
needs_only_offered_symbols(struct AOTCompContext *context);

/* Warnings and errors that WAMR logged so far. */
int
warnings(void);

#endif
