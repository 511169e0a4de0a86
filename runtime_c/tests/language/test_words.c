/*
 * test_words.c - identifiers and numbers: the table of symbols, and literals against the C library.
 */
#include <stdint.h>

#include "check.h"
#include "number/literal.h"
#include "table/symbols.h"

static symbol_id intern(symbols *table, const char *text)
{
    return symbols_intern(table, text, strlen(text));
}

static void a_text_has_one_symbol(void)
{
    symbols table;
    CHECK(symbols_open(&table));
    const symbol_id a = intern(&table, "a"), foo = intern(&table, "foo"), empty = intern(&table, "");
    CHECK(a != NO_SYMBOL && foo != NO_SYMBOL && empty != NO_SYMBOL && a != foo && foo != empty);
    CHECK_INT(intern(&table, "a"), a);
    CHECK_INT(symbols_intern(&table, "foo.bar", 3), foo);
    CHECK_TEXT(symbols_get(&table, foo)->text, "foo");
    CHECK_INT(symbols_get(&table, foo)->length, 3);
    symbols_close(&table);
}

/* Texts of two bytes that 33 * hash + byte does not tell apart, and many others. */
static void symbols_stay_when_the_table_grows(void)
{
    enum { COUNT = 100000 };
    static symbol_id ids[COUNT];
    char text[16];
    symbols table;
    CHECK(symbols_open(&table));
    CHECK(intern(&table, "bA") != intern(&table, "ab"));
    for (int i = 0; i < COUNT; i++)
        ids[i] = symbols_intern(&table, text, (size_t)sprintf(text, "w%d", i));
    const char *first = symbols_get(&table, ids[0])->text;
    for (int i = 0; i < COUNT; i++)
        CHECK(symbols_intern(&table, text, (size_t)sprintf(text, "w%d", i)) == ids[i]);
    CHECK(symbols_get(&table, ids[0])->text == first);
    symbols_close(&table);
}

static void a_symbol_may_be_long(void)
{
    enum { LENGTH = 300000 };
    char *text = malloc(LENGTH + 1);
    symbols table;
    CHECK(symbols_open(&table));
    memset(text, 'x', LENGTH);
    text[LENGTH] = 0;
    const symbol_id id = symbols_intern(&table, text, LENGTH);
    CHECK(symbols_intern(&table, text, LENGTH - 1) != id);
    CHECK_INT(symbols_intern(&table, text, LENGTH), id);
    CHECK_TEXT(symbols_get(&table, intern(&table, "after"))->text, "after");
    CHECK(strcmp(symbols_get(&table, id)->text, text) == 0);
    symbols_close(&table);
    free(text);
}

static void check_literal(const char *text, size_t length, int is_float)
{
    const literal number = literal_read(text, text + strlen(text));
    float value = 0;
    CHECK_INT(number.end - text, length);
    CHECK_INT(number.is_float, is_float);
    CHECK(literal_real(&number, text, &value));
    char alone[64];
    snprintf(alone, sizeof alone, "%.*s", (int)length, text);
    const float expected = (float)strtod(alone, NULL);
    if (memcmp(&value, &expected, sizeof value) != 0)
        check_failed(__FILE__, __LINE__, text);
}

static void literals_end_where_they_should(void)
{
    check_literal("0", 1, 0);
    check_literal("007.25)", 6, 1);
    check_literal("2.", 2, 1);
    check_literal("2.x", 2, 1);
    check_literal("1e3", 3, 1);
    check_literal("1E+3-", 4, 1);
    check_literal("1e", 1, 0);
    check_literal("1e+", 1, 0);
    check_literal("1.5.5", 3, 1);
    check_literal("0x1F", 1, 0);
    check_literal("1e999", 5, 1);
    check_literal("1e-999", 6, 1);
    check_literal("0e99999999999999999999", 22, 1);
    check_literal("123456789012345678901234567890", 30, 0);
    check_literal("0.000000000000000000000000000000000000001234567890123456789", 59, 1);
}

/* Around the middle of two singles, where rounding is decided late. */
static void literals_are_rounded_as_the_library_does(void)
{
    uint32_t state = 7;
    char text[64];
    for (int i = 0; i < 20000; i++) {
        const uint32_t mantissa = check_random(&state), choice = check_random(&state);
        const int exponent = (int)(choice >> 8) % 60 - 30;
        int length = 0;
        if (choice % 3 == 0)
            length = sprintf(text, "%u.%ue%d", mantissa >> 16, mantissa & 0xFFFFFu, exponent);
        else if (choice % 3 == 1)
            length = sprintf(text, "%.*f", (int)(choice % 20), mantissa / 3.0e5);
        else
            length = sprintf(text, "%u%u.5", mantissa, choice);
        check_literal(text, (size_t)length, strpbrk(text, ".e") != NULL);
    }
}

static void integers_are_exact_up_to_nineteen_digits(void)
{
    const char *text = "9999999999999999999";
    const literal number = literal_read(text, text + strlen(text));
    CHECK(number.is_exact && number.digits == UINT64_C(9999999999999999999));
    text = "00000000000000000000000042";
    CHECK_INT(literal_read(text, text + strlen(text)).digits, 42);
    CHECK(literal_read(text, text + strlen(text)).is_exact);
    text = "10000000000000000000";
    CHECK(!literal_read(text, text + strlen(text)).is_exact);
}

int main(void)
{
    RUN(a_text_has_one_symbol);
    RUN(symbols_stay_when_the_table_grows);
    RUN(a_symbol_may_be_long);
    RUN(literals_end_where_they_should);
    RUN(literals_are_rounded_as_the_library_does);
    RUN(integers_are_exact_up_to_nineteen_digits);
    return check_report();
}
