/*
 * check.h - the test framework: a test is a function, a failed check prints where and is counted.
 *
 *   static void a_free_cell_is_taken_again(void) { CHECK(...); }
 *   int main(void) { RUN(a_free_cell_is_taken_again); return check_report(); }
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures = 0;
static int check_tests = 0;
static const char *check_test = "";

static void check_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, check_test, what);
    check_failures++;
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* Equal numbers, shown when they are not. */
#define CHECK_INT(actual, expected) check_int(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected))

static inline void check_int(const char *file, int line, const char *what, long long actual, long long expected)
{
    char text[200];
    if (actual == expected)
        return;
    snprintf(text, sizeof text, "%s is %lld, not %lld", what, actual, expected);
    check_failed(file, line, text);
}

#define CHECK_TEXT(actual, expected) check_text(__FILE__, __LINE__, actual, expected)

static inline void check_text(const char *file, int line, const char *actual, const char *expected)
{
    char text[400];
    if (strcmp(actual, expected) == 0)
        return;
    snprintf(text, sizeof text, "\"%s\" is not \"%s\"", actual, expected);
    check_failed(file, line, text);
}

#define RUN(test) (check_test = #test, check_tests++, test())

static inline int check_report(void)
{
    if (check_failures == 0)
        printf("%d tests ok\n", check_tests);
    return check_failures != 0;
}

/* The same sequence of numbers on every machine (xorshift). */
static inline uint32_t check_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
