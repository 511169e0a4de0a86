/*
 * test_language.c - runs within a program: texts, definitions, files that are used, what becomes of errors.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>

#include "check.h"
#include "run/language.h"

typedef struct {
    language of;
    char *printed;
    size_t size;
} session;

static void open_session(session *at, language_options options)
{
    at->printed = NULL;
    options.out = open_memstream(&at->printed, &at->size);
    options.threads = options.threads == 0 ? 1 : options.threads;
    CHECK(options.out != NULL && language_open(&at->of, &options));
}

static const char *printed(session *at)
{
    fflush(at->of.out);
    return at->printed;
}

static void close_session(session *at)
{
    FILE *out = at->of.out;
    language_close(&at->of);
    fclose(out);
    free(at->printed);
}

static int run_text(session *at, const char *text)
{
    return language_run_text(&at->of, text, strlen(text));
}

/* No counts, whose seconds differ. */
static const language_options FLOATS = {.is_float = 1};

static void texts_share_an_interface(void)
{
    session at;
    open_session(&at, FLOATS);
    CHECK_INT(run_text(&at, "inc(r)><(float n) => r~n+1; x~A(y);"), 0);
    CHECK_INT(run_text(&at, "inc(y)~1; x; x~z;"), 0);
    CHECK_TEXT(printed(&at), "A(2.000000)\n");
    close_session(&at);
}

static void an_error_ends_a_text(void)
{
    session at;
    open_session(&at, FLOATS);
    CHECK_INT(run_text(&at, "x~A;\nx~~B; x;"), 1);
    CHECK_TEXT(printed(&at), "2:3: syntax error, unexpected '~', expecting a term\n");
    close_session(&at);
}

static void an_interactive_run_goes_on_after_an_error(void)
{
    session at;
    language_options options = FLOATS;
    options.is_interactive = 1;
    open_session(&at, options);
    CHECK_INT(run_text(&at, "x~1; x~~B, y~C; x; A~A; x; p~Q(r,r,r); x"), 1);
    CHECK_TEXT(printed(&at), "1:8: syntax error, unexpected '~', expecting a term\n"
                             "1.000000\n"
                             "Runtime Error: There is no interaction rule for the following pair:\nA~A\n"
                             "1.000000\n"
                             "1:ERROR: The name `r' occurs more than twice.\n"
                             "1:41: syntax error, unexpected end of input, expecting ';', '~', '<<' or '><'\n");
    close_session(&at);
}

static void exit_ends_a_run_well(void)
{
    session at;
    open_session(&at, FLOATS);
    CHECK_INT(run_text(&at, "x~1; exit; x; ~"), 0);
    CHECK_TEXT(printed(&at), "");
    close_session(&at);
}

static void definitions_are_constants(void)
{
    session at;
    open_session(&at, FLOATS);
    CHECK(language_define(&at.of, "N=5"));
    CHECK(language_define(&at.of, "M = -0.5"));
    CHECK_INT(run_text(&at, "x~(N,M); x;"), 0);
    CHECK_TEXT(printed(&at), "(5.000000,-0.500000)\n");
    static const char *const wrong[] = {"", "N", "N=", "N=x", "n=1", "N=1;x~A", "N=1 2", "N=1;//", "N=/*"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!language_define(&at.of, wrong[i]));
    close_session(&at);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Files in a folder of their own; the first one uses the second, which is longer than a block. */
static void files_nest(void)
{
    enum { LINES = 20000 };
    char folder[] = "/tmp/inpla-test-XXXXXX", outer[64], inner[64], text[128];
    session at;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(outer, sizeof outer, "%s/outer.in", folder);
    snprintf(inner, sizeof inner, "%s/inner", folder);
    snprintf(text, sizeof text, "use \"%s\"; use \"%s\"; x; use \"%s.none\"; x;", inner, inner, inner);
    write_file(outer, text);
    FILE *file = fopen(inner, "w");
    CHECK(file != NULL);
    for (int i = 0; i < LINES; i++)
        fprintf(file, "Eraser~A%d;\n", i);
    fprintf(file, "free x; x~B;");
    fclose(file);
    open_session(&at, FLOATS);
    outer[strlen(outer) - 3] = 0; /* found with `.in` behind it */
    CHECK_INT(language_run_file(&at.of, outer), 0);
    snprintf(text, sizeof text, "B\nError: The file `%s.none' does not exist.\nB\n", inner);
    CHECK_TEXT(printed(&at), text);
    CHECK_INT(language_run_file(&at.of, folder), 1);
    close_session(&at);
    outer[strlen(outer)] = '.';
    CHECK(remove(outer) == 0 && remove(inner) == 0 && remove(folder) == 0);
}

static void deep_terms_are_built_printed_and_freed(void)
{
    enum { DEPTH = 1000000 };
    session at;
    char *text = malloc(3 * DEPTH + 16), *to = text;
    to += sprintf(to, "x~");
    for (int i = 0; i < DEPTH; i++)
        to += sprintf(to, "A(");
    *to++ = 'B';
    memset(to, ')', DEPTH);
    memcpy(to + DEPTH, "; x;", sizeof "; x;");
    open_session(&at, FLOATS);
    CHECK_INT(run_text(&at, text), 0);
    CHECK_INT(strlen(printed(&at)), 3 * DEPTH + 2);
    CHECK_INT(run_text(&at, "free x; ifce;"), 0);
    close_session(&at);
    free(text);
}

int main(void)
{
    RUN(texts_share_an_interface);
    RUN(an_error_ends_a_text);
    RUN(an_interactive_run_goes_on_after_an_error);
    RUN(exit_ends_a_run_well);
    RUN(definitions_are_constants);
    RUN(files_nest);
    RUN(deep_terms_are_built_printed_and_freed);
    return check_report();
}
