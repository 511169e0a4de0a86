/*
 * branches.c - what a rule has after its heads: a body, guards, or `if`; guards and `if` nest without bound.
 */
#include <string.h>

#include "syntax/parser_parts.h"
#include "table/array.h"

typedef enum { STEP_FAILED, STEP_BRANCH, STEP_DONE, STEP_END } step;

static syntax_branch *add_branch(parser *p)
{
    if (!ARRAY_RESERVE(p->branches, p->branch_room, (size_t)p->branch_count + 1)) {
        p->status = PARSER_NO_MEMORY;
        return NULL;
    }
    syntax_branch *branch = &p->branches[p->branch_count++];
    memset(branch, 0, sizeof *branch);
    branch->line = p->token.line;
    return branch;
}

static int push(parser *p, int is_group, uint32_t decision)
{
    if (!ARRAY_RESERVE(p->choices, p->choice_room, (size_t)p->choice_count + 1)) {
        p->status = PARSER_NO_MEMORY;
        return 0;
    }
    p->choices[p->choice_count++] = (parser_choice){.is_group = (uint8_t)is_group, .decision = decision};
    return 1;
}

/* A condition and the word behind it. `*decision` is the new branch; a body or another decision will follow it. */
static int read_decision(parser *p, token_kind behind, const char *expected, uint32_t *decision)
{
    const uint32_t begin = p->node_count;
    *decision = p->branch_count;
    if (add_branch(p) == NULL || !parser_expression(p))
        return 0;
    p->branches[*decision].guard = (syntax_range){.begin = begin, .end = p->node_count};
    return parser_expect(p, behind, expected);
}

static step read_leaf(parser *p)
{
    syntax_body body;
    const uint32_t leaf = p->branch_count;
    if (add_branch(p) == NULL || !parser_body(p, &body))
        return STEP_FAILED;
    p->branches[leaf].body = body;
    return STEP_DONE;
}

/* From `|` on: a group of guards opens. */
static step open_group(parser *p)
{
    uint32_t decision = 0;
    if (!parser_advance(p) || !read_decision(p, TOKEN_ARROW, "expecting '=>'", &decision))
        return STEP_FAILED;
    return push(p, 1, decision) ? STEP_BRANCH : STEP_FAILED;
}

static step open_if(parser *p)
{
    uint32_t decision = 0;
    if (!parser_advance(p) || !read_decision(p, TOKEN_THEN, "expecting 'then'", &decision))
        return STEP_FAILED;
    return push(p, 0, decision) ? STEP_BRANCH : STEP_FAILED;
}

/* Behind a branch of a group: the next guard, or `| _ =>`, whose branch belongs to the group around it. */
static step continue_group(parser *p, parser_choice *group)
{
    if (!parser_expect(p, TOKEN_BAR, "expecting '|'"))
        return STEP_FAILED;
    p->branches[group->decision].otherwise = p->branch_count;
    if (parser_sees(p, TOKEN_ANY)) {
        p->choice_count--;
        return parser_advance(p) && parser_expect(p, TOKEN_ARROW, "expecting '=>'") ? STEP_BRANCH : STEP_FAILED;
    }
    return read_decision(p, TOKEN_ARROW, "expecting '=>'", &group->decision) ? STEP_BRANCH : STEP_FAILED;
}

static step continue_if(parser *p, const parser_choice *choice)
{
    if (!parser_expect(p, TOKEN_ELSE, "expecting 'else'"))
        return STEP_FAILED;
    p->branches[choice->decision].otherwise = p->branch_count;
    p->choice_count--;
    return STEP_BRANCH;
}

static step continue_open(parser *p)
{
    if (p->choice_count == 0)
        return STEP_END;
    parser_choice *choice = &p->choices[p->choice_count - 1];
    return choice->is_group ? continue_group(p, choice) : continue_if(p, choice);
}

static step read_branch(parser *p, int is_guarded)
{
    if (is_guarded && parser_sees(p, TOKEN_BAR))
        return open_group(p);
    if (!is_guarded && parser_sees(p, TOKEN_IF))
        return open_if(p);
    return read_leaf(p);
}

static int read_all(parser *p, int is_guarded)
{
    step now = STEP_BRANCH;
    while (now == STEP_BRANCH || now == STEP_DONE)
        now = now == STEP_BRANCH ? read_branch(p, is_guarded) : continue_open(p);
    return now == STEP_END;
}

int parser_branches(parser *p)
{
    if (parser_sees(p, TOKEN_BAR))
        return read_all(p, 1);
    if (!parser_expect(p, TOKEN_ARROW, "expecting '=>' or '|'"))
        return 0;
    if (parser_sees(p, TOKEN_SEMICOLON))
        return add_branch(p) != NULL;
    return read_all(p, 0);
}
