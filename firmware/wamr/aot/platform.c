/* In place of WAMR's platform_init.c and bh_log.c: quiet, and it counts warnings. */
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>

#include "bh_log.h"
#include "platform_api_vmcore.h"

static int warned;

int
warnings(void)
{
    return warned;
}

int
bh_platform_init(void)
{
    return 0;
}

void
bh_platform_destroy(void)
{}

/* WAMR prints its options through here, which nobody asked for. */
int
os_printf(const char *format, ...)
{
    (void)format;
    return 0;
}

int
os_vprintf(const char *format, va_list arguments)
{
    (void)format;
    (void)arguments;
    return 0;
}

void
bh_log_set_verbose_level(uint32 level)
{
    (void)level;
}

void
bh_log(LogLevel level, const char *file, int line, const char *format, ...)
{
    if (level > BH_LOG_LEVEL_WARNING)
        return;
    (void)file;
    (void)line;
    warned++;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "aotc: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

void
bh_print_time(const char *prompt)
{
    (void)prompt;
}
