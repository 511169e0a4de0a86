/*
 * head.c - heads: an agent with names for its ports, a number, or a wildcard.
 */
#include "rules/head.h"

#include "table/agents.h"

/* --- names in messages ------------------------------------------------------------------------------------------- */

const char *head_name(const language *run, uint32_t head)
{
    switch (head) {
    case HEAD_INT:
        return "Int";
    case HEAD_REAL:
        return "Float";
    case HEAD_ANY:
        return "Wildcard";
    default:
        return agents_name(run, head);
    }
}

static void print_one(const language *run, uint32_t head)
{
    fputs(head_name(run, head), run->out);
    if (head_is_agent(head) && agents_is_tuple(run, head))
        fprintf(run->out, "%u", (unsigned)agents_get(run, head)->arity);
}

void head_print(const language *run, const rule *printed)
{
    print_one(run, printed->is_exchanged ? printed->right : printed->left);
    fputs(" >< ", run->out);
    print_one(run, printed->is_exchanged ? printed->left : printed->right);
}

int head_refuse_name(compiler *to, const variable *refused)
{
    language_report(to->run, to->source->last_line,
                    "ERROR: `%s' is referred not %s in the right-hand side of the rule:\n  ",
                    symbols_get(&to->run->symbols, refused->symbol)->text,
                    refused->kind == VARIABLE_WIRE ? "twice" : "once");
    head_print(to->run, to->rule);
    fputs(".\n", to->run->out);
    return compiler_refuse(to);
}

/* --- what a head must not be ------------------------------------------------------------------------------------- */

static int refuse(compiler *to, const char *what, const char *side)
{
    fprintf(to->run->out, "Error: %s in the %s-hand side of this rule active pair.\n", what, side);
    return compiler_refuse(to);
}

static int refuse_port(compiler *to, const syntax_node *port, const char *side)
{
    if (port->kind != SYNTAX_AGENT)
        return refuse(to, "a port isn't a name", side);
    fprintf(to->run->out, "Error: `%s' isn't a name in the %s-hand side of this rule active pair.\n",
            symbols_get(&to->run->symbols, port->symbol)->text, side);
    return compiler_refuse(to);
}

/* How many terms before it a node takes as its own. */
static uint32_t operand_count(const syntax_node *node)
{
    switch (node->kind) {
    case SYNTAX_AGENT:
    case SYNTAX_TUPLE:
        return node->count;
    case SYNTAX_NAME:
    case SYNTAX_TYPED:
    case SYNTAX_NIL:
    case SYNTAX_PERCENT:
    case SYNTAX_INT:
    case SYNTAX_FLOAT:
        return 0;
    case SYNTAX_NEGATE:
    case SYNTAX_NOT:
    case SYNTAX_RAND:
    case SYNTAX_AND_THEN:
    case SYNTAX_OR_ELSE:
        return 1;
    default:
        return 2;
    }
}

static int is_name(const syntax_node *node)
{
    return node->kind == SYNTAX_NAME || node->kind == SYNTAX_TYPED;
}

/* The first port of a head that is no name, NULL if all are. */
static const syntax_node *find_bad_port(const compiler *to, syntax_range head)
{
    const syntax_node *nodes = to->source->nodes, *bad = NULL;
    for (uint32_t root = head.end - 1; root-- != head.begin;) {
        uint32_t missing = 1;
        bad = is_name(&nodes[root]) ? bad : &nodes[root];
        for (uint32_t i = root; missing != 0; i--) {
            missing += operand_count(&nodes[i]) - 1;
            root = i;
        }
    }
    return bad;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* A variable of the heads; two of one name leave a second occurrence, which is refused once both heads are known. */
static int add_variable(compiler *to, const syntax_node *node, uint32_t place)
{
    const int is_typed = node->kind == SYNTAX_TYPED;
    variable *added = scope_add(to->run, &to->scope, node->symbol, is_typed ? VARIABLE_NUMBER : VARIABLE_PORT);
    if (added == NULL)
        return compiler_fail_memory(to);
    added->is_real = (node->flags & SYNTAX_IS_FLOAT) != 0;
    added->place = place;
    return 1;
}

static int add_ports(compiler *to, syntax_range head, uint32_t first_place)
{
    for (uint32_t i = head.begin; i + 1 < head.end; i++)
        if (!add_variable(to, &to->source->nodes[i], first_place + (i - head.begin)))
            return 0;
    return 1;
}

static uint32_t agent_of(compiler *to, const syntax_node *node)
{
    switch (node->kind) {
    case SYNTAX_TUPLE:
        return agents_tuple(to->run, node->count);
    case SYNTAX_NIL:
        return AGENT_NIL;
    case SYNTAX_CONS:
        return AGENT_CONS;
    default:
        return agents_use(to->run, node->symbol, node->count, node->line);
    }
}

static int is_number(const compiler *to, const syntax_node *node)
{
    const int is_constant = node->kind == SYNTAX_AGENT && node->flags & SYNTAX_BARE &&
                            symbols_get(&to->run->symbols, node->symbol)->value != NULL;
    return is_constant || (node->kind != SYNTAX_AGENT && node->kind != SYNTAX_TUPLE && node->kind != SYNTAX_NIL &&
                           node->kind != SYNTAX_CONS && !is_name(node));
}

/* What a head is: an agent's number, or HEAD_INT ...; AGENT_NONE after a failure. */
static uint32_t read_kind(compiler *to, syntax_range head, const char *side)
{
    const syntax_node *root = &to->source->nodes[head.end - 1];
    if (root->kind == SYNTAX_NAME)
        return HEAD_ANY;
    if (root->kind == SYNTAX_TYPED)
        return root->flags & SYNTAX_IS_FLOAT ? HEAD_REAL : HEAD_INT;
    const syntax_node *bad = is_number(to, root) ? NULL : find_bad_port(to, head);
    if (is_number(to, root))
        refuse(to, "a number or a function value cannot stand", side);
    else if (root->flags & (SYNTAX_REUSE_LEFT | SYNTAX_REUSE_RIGHT))
        refuse(to, "`(*L)' or `(*R)' cannot stand", side);
    else if (bad != NULL)
        refuse_port(to, bad, side);
    else
        return agent_of(to, root);
    return AGENT_NONE;
}

static int refuse_repetition(compiler *to)
{
    for (uint32_t i = 0; i < to->scope.count; i++)
        if (to->scope.all[i].hidden != 0)
            return head_refuse_name(to, &to->scope.all[i]);
    return 1;
}

static int add_variables(compiler *to, syntax_range left, syntax_range right)
{
    const uint32_t right_place = CODE_FIRST_PORT + (left.end - 1 - left.begin);
    if (!add_ports(to, left, CODE_FIRST_PORT))
        return 0;
    if (head_is_agent(to->rule->right))
        return add_ports(to, right, right_place);
    return add_variable(to, &to->source->nodes[right.end - 1], CODE_RIGHT);
}

/* Of two agents, the one that goes on in the branches had better be the left one. A compiled function wants them as they
 * are written. */
static int is_better_exchanged(const compiler *to, uint32_t left, uint32_t right)
{
    return to->rule->compiled == NULL && head_is_agent(left) && head_is_agent(right) && compiler_may_have(to, right) &&
           !compiler_may_have(to, left);
}

int head_read_both(compiler *to)
{
    syntax_range left = to->source->left, right = to->source->right;
    uint32_t left_head = read_kind(to, left, "left");
    uint32_t right_head = left_head == AGENT_NONE ? AGENT_NONE : read_kind(to, right, "right");
    if (right_head == AGENT_NONE)
        return to->outcome == OUTCOME_OK ? compiler_fail_memory(to) : 0;
    if (!head_is_agent(left_head) && !head_is_agent(right_head)) {
        fputs("Error: one side of a rule has to be an agent.\n", to->run->out);
        return compiler_refuse(to);
    }
    to->rule->is_exchanged = (uint8_t)is_better_exchanged(to, left_head, right_head);
    to->is_exchanged = !head_is_agent(left_head) || to->rule->is_exchanged;
    if (to->is_exchanged) {
        const syntax_range other = left;
        left = right;
        right = other;
    }
    to->rule->left = to->is_exchanged ? right_head : left_head;
    to->rule->right = to->is_exchanged ? left_head : right_head;
    return add_variables(to, left, right) && refuse_repetition(to);
}
