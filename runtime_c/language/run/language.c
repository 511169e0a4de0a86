/*
 * language.c - the loop over statements: reads them from files and lines, hands each to the part that it is for, and
 * decides whether the run goes on.
 */
#include "run/language.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/natives.h"
#include "executable/compiled.h"
#include "net/names.h"
#include "rules/rule.h"
#include "syntax/input.h"
#include "syntax/parser.h"
#include "table/agents.h"
#include "table/memory.h"

void language_report(language *run, uint32_t line, const char *format, ...)
{
    va_list arguments;
    if (run->file != NULL)
        fprintf(run->out, "%s:", run->file);
    fprintf(run->out, "%u:", (unsigned)line);
    va_start(arguments, format);
    vfprintf(run->out, format, arguments);
    va_end(arguments);
}

/* --- a run ----------------------------------------------------------------------------------------------------- */

static int open_parser(language *run)
{
    run->parser = malloc(sizeof *run->parser);
    return run->parser != NULL && symbols_open(&run->symbols) &&
           parser_open(run->parser, &run->symbols, run->options.is_float);
}

static int open_net(language *run)
{
    const inpla_limits limits = {.workers = run->options.threads, .grow = memory_grow};
    const size_t size = (inpla_memory_bytes(&limits) + INPLA_ALIGN - 1) / INPLA_ALIGN * INPLA_ALIGN;
    run->net_memory = aligned_alloc(INPLA_ALIGN, size);
    if (run->net_memory == NULL || inpla_open(&run->net, NULL, &limits, run->net_memory, size, run) != INPLA_OK)
        return 0;
    run->worker = inpla_first_worker(run->net);
    return 1;
}

int language_open(language *run, const language_options *options)
{
    memset(run, 0, sizeof *run);
    run->options = *options;
    run->out = options->out;
    run->compiled = options->compiled;
    if (open_parser(run) && open_net(run) && agents_open(run) && names_open(run) && rules_open(run) &&
        (run->compiled == NULL || compiled_open(run)))
        return 1;
    memory_exhausted(run);
    return 0;
}

void language_close(language *run)
{
    while (run->input != NULL)
        input_close(&run->input);
    natives_close(run);
    if (run->rules != NULL)
        rules_close(run);
    if (run->names != NULL)
        names_close(run);
    if (run->agents != NULL)
        agents_close(run);
    if (run->net != NULL)
        inpla_close(run->net);
    free(run->net_memory);
    if (run->parser != NULL)
        parser_close(run->parser);
    free(run->parser);
    symbols_close(&run->symbols);
}

/* --- files ----------------------------------------------------------------------------------------------------- */

static input_words words_of(language *run)
{
    return (input_words){.symbols = &run->symbols, .is_float = run->options.is_float};
}

/* A file by its name in the script. Executables of inpla-cc bring along those that were there, so that they meet the
 * rules that they were compiled with. */
static input_status open_named(language *run, const char *path, const char *name)
{
    if (run->compiled == NULL)
        return input_open_file(&run->input, words_of(run), path, name);
    const compiled_file *file = compiled_find_file(run->compiled, path);
    if (file == NULL)
        return INPUT_MISSING;
    return input_open_text(&run->input, words_of(run), file->text, file->size, name);
}

static outcome use_file(language *run, const statement *use)
{
    /* A name that messages and rules refer to for the rest of the run: symbols stay. */
    const symbol_id name = symbols_intern(&run->symbols, use->text, strlen(use->text));
    if (name == NO_SYMBOL)
        return memory_exhausted(run);
    switch (open_named(run, use->text, symbols_get(&run->symbols, name)->text)) {
    case INPUT_OK:
        return OUTCOME_OK;
    case INPUT_NO_MEMORY:
        return memory_exhausted(run);
    case INPUT_IN_USE:
        fprintf(run->out, "Error: The file `%s' uses itself.\n", use->text);
        return OUTCOME_FAILED;
    default:
        fprintf(run->out, "Error: The file `%s' does not exist.\n", use->text);
        return OUTCOME_WARNED;
    }
}

/* --- statements ------------------------------------------------------------------------------------------------ */

static outcome execute(language *run, const statement *at)
{
    switch (at->kind) {
    case STATEMENT_EMPTY:
        return OUTCOME_OK;
    case STATEMENT_NET:
        return net_execute(run, at);
    case STATEMENT_RULE:
        return rule_define(run, at);
    case STATEMENT_USE:
        return use_file(run, at);
    case STATEMENT_EXIT:
        return OUTCOME_EXIT;
    default:
        return command_execute(run, at);
    }
}

static outcome report_syntax(language *run)
{
    const parser_error *error = &run->parser->error;
    language_report(run, error->line, "%u: %s\n", (unsigned)error->column, error->text);
    if (run->options.is_interactive && !run->input->is_terminal)
        parser_skip_statement(run->parser);
    return OUTCOME_FAILED;
}

/* Reads a statement and executes it; `*is_end`: there was none left. */
static outcome step(language *run, int *is_end)
{
    statement at;
    run->file = run->input->name;
    const parser_status status = parser_read(run->parser, &run->input->lexer, &at);
    run->line = at.first_line;
    if (status == PARSER_NO_MEMORY)
        return memory_exhausted(run);
    if (status == PARSER_SYNTAX_ERROR)
        return report_syntax(run);
    *is_end = at.kind == STATEMENT_END;
    return *is_end ? OUTCOME_OK : execute(run, &at);
}

/* An error ends a batch run. In an interactive one it ends the files in use, whose `use` is the statement dropped, and
 * what is left of a person's line. */
static int goes_on(language *run, outcome of)
{
    if (of == OUTCOME_EXIT)
        return 0;
    if (of != OUTCOME_FAILED)
        return 1;
    run->status = 1;
    while (run->options.is_interactive && run->input->outer != NULL)
        input_close(&run->input);
    if (run->options.is_interactive)
        input_drop_line(run->input);
    return run->options.is_interactive;
}

/* Executes the input on top and all that it uses. */
static int run_input(language *run)
{
    int is_running = 1;
    while (is_running) {
        int is_end = 0;
        is_running = goes_on(run, step(run, &is_end));
        if (is_end)
            input_close(&run->input);
        is_running = is_running && run->input != NULL;
    }
    while (run->input != NULL)
        input_close(&run->input);
    return run->status;
}

static int run_opened(language *run, input_status status, const char *path)
{
    if (status == INPUT_OK)
        return run_input(run);
    if (status == INPUT_NO_MEMORY)
        memory_exhausted(run);
    else
        fprintf(run->out, "Error: The file `%s' cannot be opened.\n", path);
    return run->status = 1;
}

static input_status open_with_suffix(language *run, const char *path)
{
    const size_t length = strlen(path);
    char *name = malloc(length + sizeof ".in");
    if (name == NULL)
        return INPUT_NO_MEMORY;
    memcpy(name, path, length);
    memcpy(name + length, ".in", sizeof ".in");
    const input_status status = open_named(run, name, NULL);
    free(name);
    return status;
}

int language_run_file(language *run, const char *path)
{
    input_status status = open_named(run, path, NULL);
    /* inpla-cc makes the executable `program` of `program.in`. */
    if (status == INPUT_OK && strncmp(run->input->text, "\177ELF", 4) == 0) {
        input_close(&run->input);
        status = INPUT_MISSING;
    }
    if (status == INPUT_MISSING)
        status = open_with_suffix(run, path);
    return run_opened(run, status, path);
}

int language_run_text(language *run, const char *text, size_t size)
{
    return run_opened(run, input_open_text(&run->input, words_of(run), text, size, NULL), "");
}

int language_run_lines(language *run)
{
    const input_status status = input_open_lines(&run->input, words_of(run), run->out);
    const int is_terminal = status == INPUT_OK && run->input->is_terminal;
    run_opened(run, status, "");
    if (status == INPUT_OK && ferror(stdin)) {
        fputs("Error: Standard input cannot be read.\n", run->out);
        return run->status = 1;
    }
    /* To a person the status of the last error says nothing. */
    return is_terminal ? 0 : run->status;
}

int language_define(language *run, const char *definition)
{
    statement defined;
    lexer words;
    const size_t length = strlen(definition);
    char *text = malloc(length + sizeof "const ;");
    if (text == NULL) {
        memory_exhausted(run);
        return 0;
    }
    sprintf(text, "const %s;", definition);
    lexer_open(&words, &run->symbols, run->options.is_float, text, strlen(text));
    int is_well = parser_read(run->parser, &words, &defined) == PARSER_OK && words.at == words.end;
    if (!is_well)
        fprintf(run->out, "ERROR: `%s' is no definition, such as `N=5', for option -d\n", definition);
    else
        is_well = command_execute(run, &defined) <= OUTCOME_WARNED;
    free(text);
    return is_well;
}
