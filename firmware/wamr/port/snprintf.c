/* snprintf and vsnprintf as far as the runtime's messages go, in place of newlib's: %s, %d, %u, %x, %c, %%, with `l` and `z`
 * ignored (32 bits all) and no widths. Anything else ends the text. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    char *at;
    size_t left; /* without the NUL */
    int count;
} output;

static void
put(output *out, char c)
{
    if (out->left > 0) {
        *out->at++ = c;
        out->left--;
    }
    out->count++;
}

static void
put_text(output *out, const char *text)
{
    while (*text)
        put(out, *text++);
}

static void
put_number(output *out, uint32_t value, uint32_t base)
{
    char digits[10];
    int count = 0;
    do
        digits[count++] = "0123456789abcdef"[value % base];
    while ((value /= base) > 0);
    while (count > 0)
        put(out, digits[--count]);
}

static void
put_signed(output *out, int32_t value)
{
    if (value < 0)
        put(out, '-');
    put_number(out, value < 0 ? 0u - (uint32_t)value : (uint32_t)value, 10);
}

/* Puts one conversion. False for one that is not known. */
static bool
put_conversion(output *out, char conversion, va_list *arguments)
{
    switch (conversion) {
        case 's':
            put_text(out, va_arg(*arguments, const char *));
            return true;
        case 'd':
        case 'i':
            put_signed(out, va_arg(*arguments, int));
            return true;
        case 'u':
            put_number(out, va_arg(*arguments, unsigned), 10);
            return true;
        case 'x':
        case 'p':
            put_number(out, va_arg(*arguments, unsigned), 16);
            return true;
        case 'c':
            put(out, (char)va_arg(*arguments, int));
            return true;
        case '%':
            put(out, '%');
            return true;
        default:
            return false;
    }
}

int
vsnprintf(char *into, size_t capacity, const char *format, va_list arguments)
{
    output out = { into, capacity > 0 ? capacity - 1 : 0, 0 };
    va_list rest;
    va_copy(rest, arguments);
    for (; *format; format++) {
        if (*format != '%') {
            put(&out, *format);
            continue;
        }
        do
            format++;
        while (*format == 'l' || *format == 'z' || *format == '#');
        if (!put_conversion(&out, *format, &rest))
            break;
    }
    va_end(rest);
    if (capacity > 0)
        *out.at = 0;
    return out.count;
}

int
snprintf(char *into, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(into, capacity, format, arguments);
    va_end(arguments);
    return count;
}
