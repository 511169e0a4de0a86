/*
 * lexer.h - text to words, with line and column of each. Knows no grammar.
 */
#ifndef INPLA_LEXER_H
#define INPLA_LEXER_H

#include <stddef.h>
#include <stdint.h>

#include "table/symbols.h"

/* ORDER TOKEN (lexer.c) */
typedef enum {
    TOKEN_NAME,
    TOKEN_AGENT,
    TOKEN_INT,
    TOKEN_FLOAT,
    TOKEN_STRING,
    TOKEN_END, /* of the input */
    /* keywords */
    TOKEN_TYPE, /* `int`, or `float` in the float dialect */
    TOKEN_LET,
    TOKEN_IN,
    TOKEN_END_OF_LET,
    TOKEN_WHERE,
    TOKEN_IF,
    TOKEN_THEN,
    TOKEN_ELSE,
    TOKEN_INTERFACE,
    TOKEN_IFCE,
    TOKEN_PRNAT,
    TOKEN_FREE,
    TOKEN_MEMSTAT,
    TOKEN_EXIT,
    TOKEN_RAND,
    TOKEN_CONST,
    TOKEN_USE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    /* symbols */
    TOKEN_PAIR,  /* >< */
    TOKEN_ARROW, /* => */
    TOKEN_BAR,
    TOKEN_ASSIGN,
    TOKEN_EQUAL,
    TOKEN_UNEQUAL,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_ABBREVIATE, /* << */
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_PERCENT,
    TOKEN_TILDE,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_LIST,
    TOKEN_CLOSE_LIST,
    TOKEN_OPEN_BRACE,
    TOKEN_CLOSE_BRACE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_ANY, /* _ */
    /* not words of the language */
    TOKEN_BAD_BYTE,
    TOKEN_OPEN_STRING,  /* a string that its line does not end */
    TOKEN_OPEN_COMMENT, /* a comment that the input does not end */
    TOKEN_LARGE_NUMBER, /* an integer above 2^62 */
    TOKEN_NO_MEMORY
} token_kind;

typedef struct {
    uint32_t kind; /* token_kind */
    uint32_t line;
    uint32_t column; /* characters, counted from 1 */
    symbol_id symbol; /* of a name, agent or keyword */
    const char *text; /* valid until the next token is read */
    size_t length;
    union {
        int64_t integer; /* up to 2^62 */
        float real;
    } value;
} token;

typedef struct lexer {
    const char *at;
    const char *end;
    const char *line_begin; /* moved on by what is no character of its own, so that differences are columns */
    uint32_t line;
    uint8_t is_float;            /* every number is a float */
    uint8_t is_within_statement; /* for whoever gives more text */
    symbols *symbols;
    /* Sets `at` and `end` to more text at the end of what there is. 0: that was all, and they are equal. May be NULL. */
    int (*more)(struct lexer *in);
} lexer;

/* Makes the keywords of the dialect known; once for a table of symbols. 0: memory is exhausted. */
int lexer_define_keywords(symbols *table, int is_float);

void lexer_open(lexer *in, symbols *table, int is_float, const char *text, size_t size);

void lexer_read(lexer *in, token *word);

/* What a kind of token is called in messages. */
const char *token_name(token_kind kind);

#endif
