/*
 * print_number.c - numbers as text.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/print.h"

/* Of the shortest text, the decimal exponents that are written without `e`, so that 1000000.0 and 0.0001 are. */
enum { DIGITS_MOST = 9, LEAST_PLAIN = -5, MOST_PLAIN = 9 };

/* d.ddde+xx with the fewest digits that read back as the same float. Returns the decimal exponent; `digits` gets the
 * digits alone. */
static int shortest_digits(float number, char *digits)
{
    char text[PRINT_NUMBER_SIZE];
    int precision = 0;
    do
        snprintf(text, sizeof text, "%.*e", precision, (double)number);
    while (strtof(text, NULL) != number && ++precision < DIGITS_MOST);
    digits[0] = text[0];
    memcpy(digits + 1, text + 2, (size_t)precision);
    digits[precision + 1] = 0;
    return atoi(strchr(text, 'e') + 1);
}

/* `number` is finite and not negative. */
static void format_shortest(float number, char *text)
{
    char digits[DIGITS_MOST + 2];
    const int exponent = shortest_digits(number, digits);
    const int count = (int)strlen(digits);
    if (exponent < LEAST_PLAIN || exponent > MOST_PLAIN)
        sprintf(text, "%c%s%se%d", digits[0], count > 1 ? "." : "", digits + 1, exponent);
    else if (exponent < 0)
        sprintf(text, "0.%.*s%s", -exponent - 1, "0000", digits);
    else if (count > exponent + 1)
        sprintf(text, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    else
        sprintf(text, "%s%.*s.0", digits, exponent + 1 - count, "000000000");
}

static void format_float(const language *run, float number, char *text)
{
    if (isfinite(number) && (!run->options.is_float || run->options.prints_shortest)) {
        if (signbit(number))
            *text++ = '-';
        format_shortest(fabsf(number), text);
    } else {
        snprintf(text, PRINT_NUMBER_SIZE, "%f", (double)number);
    }
}

void print_format_number(const language *run, const inpla_cell *number, char text[PRINT_NUMBER_SIZE])
{
    if (inpla_is_int(number))
        snprintf(text, PRINT_NUMBER_SIZE, "%" PRId64, inpla_int_of(number));
    else
        format_float(run, inpla_float_of(number), text);
}

void print_number(const language *run, const inpla_cell *number)
{
    char text[PRINT_NUMBER_SIZE];
    print_format_number(run, number, text);
    fputs(text, run->out);
}
