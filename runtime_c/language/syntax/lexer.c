/*
 * lexer.c - one pass over the bytes; classes of bytes decide.
 */
#include "syntax/lexer.h"

#include <string.h>

#include "number/literal.h"

#define LARGEST_INTEGER (UINT64_C(1) << 62)

/* ORDER TOKEN */
static const char *const names[] = {
    "name", "agent", "number", "number", "string", "end of input",
    "'int'", "'let'", "'in'", "'end'", "'where'", "'if'", "'then'", "'else'", "'interface'", "'ifce'", "'prnat'",
    "'free'", "'memstat'", "'exit'", "'rand'", "'const'", "'use'", "'and'", "'or'", "'not'",
    "'><'", "'=>'", "'|'", "'='", "'=='", "'!='", "'<'", "'<='", "'>'", "'>='", "'<<'", "'+'", "'-'", "'*'", "'/'",
    "'%'", "'~'", "'('", "')'", "'['", "']'", "'{'", "'}'", "','", "';'", "':'", "'_'",
    "byte", "string without an end on its line", "comment without an end", "number above 2^62 - 1",
    "word without memory"};
INPLA_STATIC_ASSERT(sizeof names / sizeof *names == TOKEN_NO_MEMORY + 1, "ORDER TOKEN");

/* Keywords but for the type's, in the order of their tokens. */
static const char *const keywords[] = {"let",       "in",   "end",   "where", "if",      "then", "else",
                                       "interface", "ifce", "prnat", "free",  "memstat", "exit", "rand",
                                       "const",     "use",  "and",   "or",    "not"};
INPLA_STATIC_ASSERT(sizeof keywords / sizeof *keywords == TOKEN_NOT - TOKEN_LET + 1, "ORDER TOKEN");

typedef enum { BYTE_OTHER, BYTE_SMALL, BYTE_CAPITAL, BYTE_DIGIT, BYTE_IN_WORD } byte_class;

#define FIVE(a, class) [a] = class, [(a) + 1] = class, [(a) + 2] = class, [(a) + 3] = class, [(a) + 4] = class
#define SMALL5(a) FIVE(a, BYTE_SMALL)
#define CAPITAL5(a) FIVE(a, BYTE_CAPITAL)
#define DIGIT5(a) FIVE(a, BYTE_DIGIT)

/* Inpla's words are ASCII. */
static const uint8_t classes[256] = {
    SMALL5('a'),   SMALL5('f'),   SMALL5('k'),   SMALL5('p'),   SMALL5('u'),   ['z'] = BYTE_SMALL,
    CAPITAL5('A'), CAPITAL5('F'), CAPITAL5('K'), CAPITAL5('P'), CAPITAL5('U'), ['Z'] = BYTE_CAPITAL,
    DIGIT5('0'),   DIGIT5('5'),   ['_'] = BYTE_IN_WORD, ['\''] = BYTE_IN_WORD, ['.'] = BYTE_IN_WORD};

static byte_class class_of(char byte)
{
    return (byte_class)classes[(unsigned char)byte];
}

const char *token_name(token_kind kind)
{
    return names[kind];
}

static int define(symbols *table, const char *text, token_kind kind)
{
    const symbol_id id = symbols_intern(table, text, strlen(text));
    if (id != NO_SYMBOL)
        symbols_get(table, id)->keyword = (uint32_t)kind;
    return id != NO_SYMBOL;
}

int lexer_define_keywords(symbols *table, int is_float)
{
    int is_well = define(table, is_float ? "float" : "int", TOKEN_TYPE);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        is_well = is_well && define(table, keywords[i], (token_kind)(TOKEN_LET + i));
    return is_well;
}

void lexer_open(lexer *in, symbols *table, int is_float, const char *text, size_t size)
{
    memset(in, 0, sizeof *in);
    in->symbols = table;
    in->is_float = (uint8_t)is_float;
    in->at = text;
    in->end = text + size;
    in->line_begin = text;
    in->line = 1;
}

/* --- what is between words ------------------------------------------------------------------------------------- */

/* Is there a byte to look at? Asks for more text at the end of what there is. */
static int is_byte(lexer *in)
{
    if (in->at < in->end)
        return 1;
    if (in->more == NULL)
        return 0;
    const int is_more = in->more(in);
    in->line_begin = in->at;
    return is_more;
}

static void next_line(lexer *in)
{
    in->at++;
    in->line++;
    in->line_begin = in->at;
}

/* A byte within a comment, where other alphabets may be. Bytes 10xxxxxx continue a character of UTF-8. */
static void pass_comment_byte(lexer *in)
{
    if (*in->at == '\n') {
        next_line(in);
        return;
    }
    if (((unsigned char)*in->at & 0xC0u) == 0x80u)
        in->line_begin++;
    in->at++;
}

static void skip_line(lexer *in)
{
    while (is_byte(in) && *in->at != '\n')
        pass_comment_byte(in);
}

/* From the opening of a comment to behind its end. 0: it has none. */
static int skip_block(lexer *in)
{
    int is_star = 0;
    in->at += 2;
    while (is_byte(in)) {
        const char byte = *in->at;
        pass_comment_byte(in);
        if (is_star && byte == '/')
            return 1;
        is_star = byte == '*';
    }
    return 0;
}

static void mark(lexer *in, token *word)
{
    word->text = in->at;
    word->line = in->line;
    word->column = (uint32_t)(in->at - in->line_begin) + 1;
}

/* Goes to the first byte of a word and marks the place. Returns the kind of token if there is none, else -1. */
static int skip_blanks(lexer *in, token *word)
{
    while (is_byte(in)) {
        const char byte = *in->at;
        const char second = in->end - in->at > 1 ? in->at[1] : 0;
        if (byte == ' ' || byte == '\t' || byte == '\r') {
            in->at++;
        } else if (byte == '\n') {
            next_line(in);
        } else if (byte == '/' && second == '/') {
            skip_line(in);
        } else if (byte == '/' && second == '*') {
            mark(in, word);
            if (!skip_block(in)) {
                word->text = "/*"; /* the text may be gone by now */
                return TOKEN_OPEN_COMMENT;
            }
        } else {
            mark(in, word);
            return -1;
        }
    }
    mark(in, word);
    return TOKEN_END;
}

/* --- words ----------------------------------------------------------------------------------------------------- */

static token_kind read_word(lexer *in, token *word, token_kind kind)
{
    const char *at = in->at;
    uint32_t hash = SYMBOL_HASH_START;
    do
        hash = symbol_hash_step(hash, (unsigned char)*at++);
    while (at < in->end && class_of(*at) != BYTE_OTHER);
    word->symbol = symbols_intern_hashed(in->symbols, in->at, (size_t)(at - in->at), hash);
    in->at = at;
    if (word->symbol == NO_SYMBOL)
        return TOKEN_NO_MEMORY;
    const uint32_t keyword = symbols_get(in->symbols, word->symbol)->keyword;
    return keyword != 0 ? (token_kind)keyword : kind;
}

static token_kind read_number(lexer *in, token *word)
{
    const literal number = literal_read(in->at, in->end);
    in->at = number.end;
    if (number.is_float || in->is_float)
        return literal_real(&number, word->text, &word->value.real) ? TOKEN_FLOAT : TOKEN_NO_MEMORY;
    if (!number.is_exact || number.digits > LARGEST_INTEGER)
        return TOKEN_LARGE_NUMBER;
    word->value.integer = (int64_t)number.digits;
    return TOKEN_INT;
}

/* The text between the quotes is left as it is written. */
static token_kind read_string(lexer *in)
{
    for (in->at++; in->at < in->end && *in->at != '\n' && *in->at != 0; in->at++) {
        if (*in->at == '"') {
            in->at++;
            return TOKEN_STRING;
        }
        if (*in->at == '\\' && in->end - in->at > 1 && in->at[1] != '\n' && in->at[1] != 0)
            in->at++;
    }
    return TOKEN_OPEN_STRING;
}

/* Is this byte next? Then it is part of the symbol. */
static int is_followed(lexer *in, char next)
{
    const int is_next = in->at < in->end && *in->at == next;
    in->at += is_next;
    return is_next;
}

static token_kind read_symbol(lexer *in)
{
    switch (*in->at++) {
    case '(': return TOKEN_OPEN;
    case ')': return TOKEN_CLOSE;
    case ',': return TOKEN_COMMA;
    case '~': return TOKEN_TILDE;
    case ';': return TOKEN_SEMICOLON;
    case '[': return TOKEN_OPEN_LIST;
    case ']': return TOKEN_CLOSE_LIST;
    case '{': return TOKEN_OPEN_BRACE;
    case '}': return TOKEN_CLOSE_BRACE;
    case ':': return TOKEN_COLON;
    case '_': return TOKEN_ANY;
    case '+': return TOKEN_PLUS;
    case '-': return TOKEN_MINUS;
    case '*': return TOKEN_STAR;
    case '/': return TOKEN_SLASH;
    case '%': return TOKEN_PERCENT;
    case '>':
        return is_followed(in, '<') ? TOKEN_PAIR : is_followed(in, '=') ? TOKEN_GREATER_EQUAL : TOKEN_GREATER;
    case '<':
        return is_followed(in, '<') ? TOKEN_ABBREVIATE : is_followed(in, '=') ? TOKEN_LESS_EQUAL : TOKEN_LESS;
    case '=':
        return is_followed(in, '>') ? TOKEN_ARROW : is_followed(in, '=') ? TOKEN_EQUAL : TOKEN_ASSIGN;
    case '!': return is_followed(in, '=') ? TOKEN_UNEQUAL : TOKEN_NOT;
    case '|': return is_followed(in, '|') ? TOKEN_OR : TOKEN_BAR;
    case '&': return is_followed(in, '&') ? TOKEN_AND : TOKEN_BAD_BYTE;
    default: return TOKEN_BAD_BYTE;
    }
}

static token_kind read_after_blanks(lexer *in, token *word)
{
    switch (class_of(*in->at)) {
    case BYTE_SMALL: return read_word(in, word, TOKEN_NAME);
    case BYTE_CAPITAL: return read_word(in, word, TOKEN_AGENT);
    case BYTE_DIGIT: return read_number(in, word);
    default: return *in->at == '"' ? read_string(in) : read_symbol(in);
    }
}

void lexer_read(lexer *in, token *word)
{
    const int nothing = skip_blanks(in, word);
    word->kind = (uint32_t)(nothing >= 0 ? (token_kind)nothing : read_after_blanks(in, word));
    word->length = nothing == TOKEN_END ? 0 : nothing >= 0 ? strlen(word->text) : (size_t)(in->at - word->text);
}
