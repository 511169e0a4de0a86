/*
 * parser.h - words to statements (syntax.h), in both dialects. Knows neither agents nor nets.
 *
 * No recursion: a stack in memory holds what is open, so depth is bounded by memory alone.
 */
#ifndef INPLA_PARSER_H
#define INPLA_PARSER_H

#include "syntax/lexer.h"
#include "syntax/syntax.h"

typedef enum { PARSER_OK, PARSER_SYNTAX_ERROR, PARSER_NO_MEMORY } parser_status;

/* An operator or a bracket whose operands or elements are still being read (term.c). */
typedef struct {
    uint8_t kind;
    uint8_t priority;
    uint8_t flags;
    uint8_t operation; /* syntax_kind */
    uint16_t column;
    uint32_t line;
    uint32_t count;
    symbol_id symbol;
} parser_frame;

/* A group of guards or an `if` whose branches are still being read (branches.c). */
typedef struct {
    uint8_t is_group;
    uint32_t decision; /* the branch whose `otherwise` comes next */
} parser_choice;

typedef struct {
    uint32_t line;
    uint32_t column;
    char text[256];
} parser_error;

typedef struct parser {
    lexer *lexer;
    token token; /* the next one that is not yet used */
    symbols *symbols;
    uint8_t is_float;
    symbol_id float_word; /* `float` where it is no keyword: a type before a name, in terms */
    symbol_id left_word;  /* L, R, Append, Merger */
    symbol_id right_word;
    symbol_id append_word;
    symbol_id merger_word;
    parser_status status;
    parser_error error; /* of PARSER_SYNTAX_ERROR */

    /* Arrays of the statement at hand, kept for the next one. */
    syntax_node *nodes;
    uint32_t node_count;
    uint32_t node_room;
    parser_frame *frames;
    uint32_t frame_count;
    uint32_t frame_room;
    parser_choice *choices;
    uint32_t choice_count;
    uint32_t choice_room;
    syntax_branch *branches;
    uint32_t branch_count;
    uint32_t branch_room;
    symbol_id *names;
    uint32_t name_count;
    uint32_t name_room;
    char *text;
    uint32_t text_room;
} parser;

/* Makes the keywords known to `table`; one parser for a run. 0: memory is exhausted. */
int parser_open(parser *p, symbols *table, int is_float);
void parser_close(parser *p);

/*
 * Reads the next statement with its `;` and nothing beyond. Its arrays are the parser's, good until the next call.
 * After a syntax error `error` says where and what; the rest of the statement is still to be skipped.
 */
parser_status parser_read(parser *p, lexer *in, statement *s);

/* After a syntax error: passes what is left of the statement, `;` and all. */
void parser_skip_statement(parser *p);

#endif
