/*
 * command_line.c - options, and what a run prints before and after its script.
 */
#include "run/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/natives.h"
#include "run/language.h"

#define VERSION "0.1.0"

static const char BANNER[] = "Inpla " VERSION " : Interaction nets as a programming language\n";

static const char HELP_FOR_SCRIPTS[] = /* of what makes no sense where the script is built in */
    "  -f FILE          run the script FILE or FILE.in, up to its first error; else statements are read from\n"
    "                   standard input\n"
    "  -c               print the code of rules\n";

static const char HELP[] =
    "  -d NAME=NUMBER   define a constant; may be given several times\n"
    "  -t N             reduce with N threads (1 to 64; default 1)\n"
    "  -w               weak reduction: only pairs from which an interface name can be reached, by one thread\n"
    "  -dialect=float   all numbers are floats, printed as the float fork does; -dialect=int is the default\n"
    "  -print=shortest  print floats with as many digits as needed to read them back\n"
    "  -weights=FILE    constantWeight of a bundle: offers weight(i) and the other native functions\n"
    "  -inputs=FILE     mutableWeight of a bundle: offers input(i) and the other native functions\n"
    "  -s N, -Xms N, -Xmt N, -Xes N, -foptimise-tail-calls, -fverbose-memory-usage\n"
    "                   accepted and without effect: memory grows as needed, tail calls are loops\n"
    "  -v               print the version\n"
    "  -h, -help, -?    print this\n";

typedef struct {
    language_options run;
    const char *file;
    const char *weights;
    const char *inputs;
    const char **definitions;
    unsigned definition_count;
    uint8_t is_compiled; /* the options that the script was compiled with have been read */
    uint8_t is_done;     /* -h, -v */
} command_line;

/* --- options --------------------------------------------------------------------------------------------------- */

static int fail(const char *format, const char *what)
{
    printf("ERROR: ");
    printf(format, what);
    printf(" (-h lists the options)\n");
    return 0;
}

static int set_file(command_line *line, const char *value)
{
    line->file = value;
    return 1;
}

static int set_definition(command_line *line, const char *value)
{
    line->definitions[line->definition_count++] = value;
    return 1;
}

static int set_threads(command_line *line, const char *value)
{
    char *end = NULL;
    const long threads = strtol(value, &end, 10);
    if (end == value || *end != 0 || threads < 1 || threads > INPLA_MAX_HELPERS + 1)
        return fail("`%s' is no number of threads for option -t: 1 to 64", value);
    line->run.threads = (unsigned)threads;
    return 1;
}

static int set_weak(command_line *line, const char *value)
{
    (void)value;
    line->run.is_weak = 1;
    return 1;
}

static int set_code(command_line *line, const char *value)
{
    (void)value;
    line->run.prints_code = 1;
    return 1;
}

/* Compiled rules know their dialect. */
static int set_dialect(command_line *line, const char *value)
{
    const uint8_t is_float = strcmp(value, "float") == 0;
    if (!is_float && strcmp(value, "int") != 0)
        return fail("`%s' is no dialect for option -dialect: int or float", value);
    if (line->is_compiled && is_float != line->run.is_float)
        return fail("The program is compiled for the other dialect than option -dialect=%s says", value);
    line->run.is_float = is_float;
    return 1;
}

static int set_print(command_line *line, const char *value)
{
    line->run.prints_shortest = strcmp(value, "shortest") == 0;
    return line->run.prints_shortest || strcmp(value, "dialect") == 0 ||
           fail("`%s' is no form of floats for option -print: shortest or dialect", value);
}

static int set_weights(command_line *line, const char *value)
{
    line->weights = value;
    return 1;
}

static int set_inputs(command_line *line, const char *value)
{
    line->inputs = value;
    return 1;
}

static int ignore(command_line *line, const char *value)
{
    (void)line, (void)value;
    return 1;
}

static int ignore_number(command_line *line, const char *value)
{
    (void)line;
    return (*value != 0 && value[strspn(value, "0123456789")] == 0) || fail("`%s' is no number", value);
}

static int show_version(command_line *line, const char *value)
{
    (void)value;
    printf("%s", BANNER);
    line->is_done = 1;
    return 1;
}

static int show_help(command_line *line, const char *value)
{
    printf("Usage: %s [options]\n%s%s", value, line->is_compiled ? "" : HELP_FOR_SCRIPTS, HELP);
    line->is_done = 1;
    return 1;
}

typedef enum { VALUE_NONE, VALUE_NEXT, VALUE_ATTACHED } value_kind; /* -w, -t 2, -dialect=float */

typedef struct {
    const char *name;
    value_kind value;
    uint8_t is_for_scripts; /* makes no sense where the script is built in */
    int (*set)(command_line *line, const char *value);
} option;

static const option options[] = {
    {"-f", VALUE_NEXT, 1, set_file},
    {"-d", VALUE_NEXT, 0, set_definition},
    {"-t", VALUE_NEXT, 0, set_threads},
    {"-w", VALUE_NONE, 0, set_weak},
    {"-c", VALUE_NONE, 1, set_code},
    {"-dialect", VALUE_ATTACHED, 0, set_dialect},
    {"-print", VALUE_ATTACHED, 0, set_print},
    {"-weights", VALUE_ATTACHED, 0, set_weights},
    {"-inputs", VALUE_ATTACHED, 0, set_inputs},
    {"-s", VALUE_NEXT, 0, ignore_number},
    {"-Xms", VALUE_NEXT, 0, ignore_number},
    {"-Xmt", VALUE_NEXT, 0, ignore_number},
    {"-Xes", VALUE_NEXT, 0, ignore_number},
    {"-foptimise-tail-calls", VALUE_NONE, 0, ignore},
    {"-fverbose-memory-usage", VALUE_NONE, 0, ignore},
    {"-v", VALUE_NONE, 0, show_version},
    {"-h", VALUE_NONE, 0, show_help},
    {"-?", VALUE_NONE, 0, show_help},
    {"-help", VALUE_NONE, 0, show_help},
    {"--help", VALUE_NONE, 0, show_help},
};
enum { OPTIONS = sizeof options / sizeof *options };

/* Does the argument name this option? With an attached value the name ends at `=`. */
static int is_named(const option *of, const char *argument)
{
    const size_t length = strlen(of->name);
    if (of->value == VALUE_ATTACHED)
        return strncmp(argument, of->name, length) == 0 && argument[length] == '=';
    return strcmp(argument, of->name) == 0;
}

static const option *find_option(const char *argument, int is_for_scripts)
{
    for (unsigned i = 0; i < OPTIONS; i++)
        if (is_named(&options[i], argument) && (is_for_scripts || !options[i].is_for_scripts))
            return &options[i];
    return NULL;
}

/* Reads the option at `*at`, and its value. */
static int read_option(command_line *line, const char *const *arguments, int *at, int is_for_scripts)
{
    const char *argument = arguments[*at];
    const option *found = find_option(argument, is_for_scripts);
    if (found == NULL)
        return fail("Unrecognized option %s", argument);
    if (found->value == VALUE_NONE)
        return found->set(line, arguments[0]);
    if (found->value == VALUE_ATTACHED)
        return found->set(line, strchr(argument, '=') + 1);
    if (arguments[*at + 1] == NULL)
        return fail("Option %s needs a value", argument);
    return found->set(line, arguments[++*at]);
}

/* Those that the script was compiled with, and the executable's own. */
static int read_options(command_line *line, int count, const char *const *arguments)
{
    const compiled_program *program = line->run.compiled;
    for (int at = 0; program != NULL && at < (int)program->option_count; at++)
        if (!read_option(line, program->options, &at, 1))
            return 0;
    line->is_compiled = program != NULL;
    for (int at = 1; at < count && !line->is_done; at++)
        if (!read_option(line, arguments, &at, program == NULL))
            return 0;
    if (line->run.is_weak)
        line->run.threads = 1; /* pairs are chosen one by one */
    return 1;
}

/* --- the run --------------------------------------------------------------------------------------------------- */

static int define_constants(language *run, const command_line *line)
{
    for (unsigned i = 0; i < line->definition_count; i++)
        if (!language_define(run, line->definitions[i]))
            return 0;
    return 1;
}

static int run_script(language *run, const command_line *line)
{
    if (run->compiled != NULL)
        return language_run_text(run, run->compiled->files[0].text, run->compiled->files[0].size);
    return line->file != NULL ? language_run_file(run, line->file) : language_run_lines(run);
}

static int run_all(language *run, const command_line *line)
{
    if (!language_open(run, &line->run) || !define_constants(run, line))
        return 1;
    if ((line->weights != NULL || line->inputs != NULL) && !natives_open(run, line->weights, line->inputs))
        return 1;
    if (!line->run.is_float)
        printf("%s", BANNER);
    const int status = run_script(run, line);
    natives_print_outputs(run);
    return status;
}

/* A script whose output is lost has failed. */
static int end_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("inpla: standard output");
    return 1;
}

static int run_command(command_line *line, int count, char **arguments)
{
    language run;
    line->run.threads = 1;
    line->run.out = stdout;
    if (!read_options(line, count, (const char *const *)arguments))
        return 1;
    if (line->is_done)
        return 0;
    line->run.is_interactive = line->file == NULL && line->run.compiled == NULL;
    const int status = run_all(&run, line);
    language_close(&run);
    return status;
}

int command_line_run(const compiled_program *program, int count, char **arguments)
{
    command_line line = {.run = {.compiled = program}};
    const size_t words = (size_t)count + (program == NULL ? 0 : program->option_count);
    line.definitions = calloc(words + 1, sizeof *line.definitions);
    if (line.definitions == NULL) {
        printf("ERROR: Memory is exhausted.\n");
        return 1;
    }
    const int status = run_command(&line, count, arguments);
    free(line.definitions);
    return end_output(status);
}
