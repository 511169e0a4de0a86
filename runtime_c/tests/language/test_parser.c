/*
 * test_parser.c - statements as the parser hands them over, and its errors with their places.
 */
#include "show_syntax.h"

#include "check.h"

#define OPERAND_EXPECTED "expecting a name, an agent, a number or '('"

/* All statements of a text, a `;` behind each; an error ends it. */
static const char *parse_as(int is_float, const char *text, size_t size)
{
    static shown to;
    symbols table;
    parser p;
    lexer words;
    statement at = {.kind = STATEMENT_EMPTY};
    to.length = 0;
    to.text[0] = 0;
    CHECK(symbols_open(&table) && parser_open(&p, &table, is_float));
    lexer_open(&words, &table, is_float, text, size);
    while (at.kind != STATEMENT_END) {
        if (parser_read(&p, &words, &at) != PARSER_OK) {
            show(&to, "%u:%u: %s", (unsigned)p.error.line, (unsigned)p.error.column, p.error.text);
            break;
        }
        if (at.kind != STATEMENT_END) {
            show_statement(&to, &table, &at);
            show(&to, ";");
        }
    }
    parser_close(&p);
    symbols_close(&table);
    return to.text;
}

static const char *parse(const char *text)
{
    return parse_as(0, text, strlen(text));
}

static const char *parse_float(const char *text)
{
    return parse_as(1, text, strlen(text));
}

static void terms_come_in_postfix_order(void)
{
    CHECK_TEXT(parse("x~Foo(a, b+1);"), "net x a b 1 + Foo/2 ~;");
    CHECK_TEXT(parse("Foo~Foo(), foo()~foo;"), "net Foo Foo/0 ~ foo/0 foo ~;");
    CHECK_TEXT(parse("x~foo (y), z~f /* c */ (y);"), "net x y foo/1 ~ z y f/1 ~;");
    CHECK_TEXT(parse("x~(a), y~(), z~(a,(b,c));"), "net x a ~ y ()0 ~ z a b c ()2 ()2 ~;");
    CHECK_TEXT(parse("x~[], y~[a,b], z~[h|t], u~a:b:c;"), "net x [] ~ y a b [] : : ~ z h t : ~ u a b c : : ~;");
    CHECK_TEXT(parse("x~1+2:a:[-3,4];"), "net x 1 2 + a -3 4 [] : : : : ~;");
    CHECK_TEXT(parse("x~%f, y~%F:%g;"), "net x %f ~ y %F %g : ~;");
    CHECK_TEXT(parse("x~(((A(((B))))));"), "net x B A/1 ~;");
}

static void operators_bind_as_they_should(void)
{
    CHECK_TEXT(parse("x~(a==b or c==d);"), "net x a b or2 c | == d == ~;");
    CHECK_TEXT(parse("x~a<b or c<d and e;"), "net x a b < or4 c d < | and2 e & ~;");
    CHECK_TEXT(parse("x~-7/2- -1;"), "net x -7 2 / -1 - ~;");
    CHECK_TEXT(parse("x~-a%b, y~-(3);"), "net x a neg b % ~ y 3 neg ~;");
    CHECK_TEXT(parse("x~not a and b, y~!a<b;"), "net x a not and2 b & ~ y a b < not ~;");
    CHECK_TEXT(parse("x~rand(n)*2, y~rand((a+b));"), "net x n rand 2 * ~ y a b + rand ~;");
    CHECK_TEXT(parse("x~2*LIMIT, y~a-b-c, z~a--2;"), "net x 2 LIMIT * ~ y a b - c - ~ z a -2 - ~;");
    CHECK_TEXT(parse("x~a==not b!=c&&d||e;"), "net x a b not == c and2 d & or2 e | != ~;");
}

static void what_the_grammar_excludes_is_an_error(void)
{
    CHECK_TEXT(parse("x~2*-3;"), "1:5: syntax error, unexpected '-', " OPERAND_EXPECTED);
    CHECK_TEXT(parse("x~--3;"), "1:4: syntax error, unexpected '-', " OPERAND_EXPECTED);
    CHECK_TEXT(parse("x~a and not b;"), "1:9: syntax error, unexpected 'not', " OPERAND_EXPECTED);
    CHECK_TEXT(parse("x~!!a;"), "1:4: syntax error, unexpected 'not', " OPERAND_EXPECTED);
    CHECK_TEXT(parse("x~2*rand(3);"), "1:5: syntax error, unexpected 'rand', " OPERAND_EXPECTED);
    CHECK_TEXT(parse("x~Foo(3)+1;"),
               "1:9: syntax error, unexpected '+', as `Foo' before it is an agent: no native function has that name "
               "(those of bundles need -weights=FILE)");
    CHECK_TEXT(parse("x~1+Foo(3);"),
               "1:11: syntax error, unexpected ';', as `Foo' before it is an agent: no native function has that name "
               "(those of bundles need -weights=FILE)");
    CHECK_TEXT(parse("x~a where b=[];"), "1:15: syntax error, unexpected ';', as the term before it is no expression");
    CHECK_TEXT(parse("x~(a,);"), "1:6: syntax error, unexpected ')', expecting a term");
    CHECK_TEXT(parse("x~[a|b,c];"), "1:7: syntax error, unexpected ',', expecting ']'");
    CHECK_TEXT(parse("x~[a,b|c];"), "1:7: syntax error, unexpected '|', expecting ',' or ']'");
    CHECK_TEXT(parse("x~if;"), "1:3: syntax error, unexpected 'if', expecting a term");
    CHECK_TEXT(parse("x~#;"), "1:3: syntax error, unexpected '#', expecting a term");
    CHECK_TEXT(parse("x~\"a\";"), "1:3: syntax error, unexpected string `\"a\"', expecting a term");
    CHECK_TEXT(parse("x;\n  x~.5;"), "print x;2:5: syntax error, unexpected '.', expecting a term");
}

static void reuse_marks_belong_to_agents_tuples_and_lists(void)
{
    CHECK_TEXT(parse("r~(*L)A, s~(*R)(x:xs), t~( *L)(a,b);"), "net r *LA ~ s x xs *R: ~ t a b *L()2 ~;");
    CHECK_TEXT(parse("r~((*L)A(x)):xs, s~A((*L)[]);"), "net r x *LA/1 xs : ~ s *L[] A/1 ~;");
    CHECK_TEXT(parse("r~(*R)x:xs;"),
               "1:8: syntax error, unexpected ':', "
               "but only an agent, a tuple or a list can be marked by '(*L)' or '(*R)'");
    CHECK_TEXT(parse("r~(*R)A:xs;"),
               "1:8: syntax error, unexpected ':', but '(*L)' and '(*R)' need the list in parentheses");
    CHECK_TEXT(parse("r~(*R)A+1;"), "1:8: syntax error, unexpected '+', as the term before it is no expression");
    CHECK_TEXT(parse("r~(*L)((*R)A);"), "1:14: syntax error, unexpected ';', but a term has one reuse mark at most");
    CHECK_TEXT(parse("r~(*X)A;"), "1:5: syntax error, unexpected agent `X', expecting '(*L)' or '(*R)'");
    CHECK_TEXT(parse("r~1+(*L)A;"), "1:6: syntax error, unexpected '*', " OPERAND_EXPECTED);
}

static void abbreviations_are_written_out(void)
{
    CHECK_TEXT(parse("a,b << F(c,d,e+1);"), "net a b c d F/4 e 1 + ~;");
    CHECK_TEXT(parse("z<<wrap(Go), << F(P(x),y);"), "net z wrap/1 Go ~ x P/1 F/1 y ~;");
    CHECK_TEXT(parse("r<<Append(A(x),B(y,z));"), "net r y z B/2 Append/2 x A/1 ~;");
    CHECK_TEXT(parse("r<<Append(x), a,r<<Append(x,y);"), "net r Append/1 x ~ a r x Append/3 y ~;");
    CHECK_TEXT(parse("r<<Merger(x:y,[]);"), "net r Merger/1 x y : [] ()2 ~;");
    CHECK_TEXT(parse("r<<(*L)f(x,a and b), a~1;"), "net r x *Lf/2 a and2 b & ~ a 1 ~;");
    CHECK_TEXT(parse("r<<f;"), "1:5: syntax error, unexpected ';', expecting '('");
    CHECK_TEXT(parse("r<<f();"), "1:6: syntax error, unexpected ')', expecting a term");
    CHECK_TEXT(parse("a,b~c;"), "1:4: syntax error, unexpected '~', expecting ',' or '<<'");
}

static void bindings_come_first(void)
{
    CHECK_TEXT(parse("x~a where a=1 b=2+a*3;"), "net 1 a= 2 a 3 * + b= x a ~;");
    CHECK_TEXT(parse("v~A where;"), "net v A ~;");
    CHECK_TEXT(parse("let a=1; b=a; in x~b end;"), "net 1 a= a b= x b ~;");
    CHECK_TEXT(parse("let in x~b, y~c end;"), "net x b ~ y c ~;");
    CHECK_TEXT(parse("{a=1; b=a} x~b;"), "net 1 a= a b= x b ~;");
    CHECK_TEXT(parse("{} x~b;"), "1:2: syntax error, unexpected '}', expecting a binding");
    CHECK_TEXT(parse("let a=1 b=2 in x~b end;"),
               "1:9: syntax error, unexpected name `b', expecting a binding, ';' or 'in'");
    CHECK_TEXT(parse("let a=1 in x~b;"), "1:15: syntax error, unexpected ';', expecting ',' or 'end'");
}

static void rules_have_branches_in_preorder(void)
{
    CHECK_TEXT(parse("f(r)><A => r~B;"), "rule r f/1 >< A { r B ~ };");
    CHECK_TEXT(parse("f><A => ;"), "rule f >< A { };");
    CHECK_TEXT(parse("f(int a, float b)><(int n) => a~b;"), "rule int-a float-b f/2 >< int-n { a b ~ };");
    CHECK_TEXT(parse("f(r)><int n | n>0 => r~1 | n<0 => r~2 where a=3 | _ => r~4;"),
               "rule r f/1 >< int-n ? n 0 > else 2 { r 1 ~ } ? n 0 < else 4 { 3 a= r 2 ~ } { r 4 ~ };");
    CHECK_TEXT(parse("f><A | a => | b => x~1 | _ => x~2 | c => x~3 | _ => | d => x~4 | _ => x~5;"),
               "rule f >< A ? a else 4 ? b else 3 { x 1 ~ } { x 2 ~ } "
               "? c else 6 { x 3 ~ } ? d else 8 { x 4 ~ } { x 5 ~ };");
    CHECK_TEXT(parse("f><A => if a then if b then x~1 else x~2 else if c then x~3 else let d=4 in x~d end;"),
               "rule f >< A ? a else 4 ? b else 3 { x 1 ~ } { x 2 ~ } ? c else 6 { x 3 ~ } { 4 d= x d ~ };");
}

static void branches_are_complete(void)
{
    CHECK_TEXT(parse("f><A | _ => x~1;"), "1:8: syntax error, unexpected '_', expecting a term");
    CHECK_TEXT(parse("f><A\n| a => x~1;"), "2:11: syntax error, unexpected ';', expecting '|'");
    CHECK_TEXT(parse("f><A | a => | _ => x~1;"), "1:15: syntax error, unexpected '_', expecting a term");
    CHECK_TEXT(parse("f><A | a => if b then x~1 else x~2;"), "1:13: syntax error, unexpected 'if', expecting a term");
    CHECK_TEXT(parse("f><A => if a then x~1;"), "1:22: syntax error, unexpected ';', expecting 'else'");
    CHECK_TEXT(parse("f><A => if a then else x~1;"), "1:19: syntax error, unexpected 'else', expecting a term");
    CHECK_TEXT(parse("f><A | a => | b => x~1 | _ => ;"), "1:31: syntax error, unexpected ';', expecting a term");
    CHECK_TEXT(parse("f><A x~1;"), "1:6: syntax error, unexpected name `x', expecting '=>' or '|'");
    CHECK_TEXT(parse("f><A => x~1 y;"), "1:13: syntax error, unexpected name `y', expecting ';'");
}

static void commands_are_statements(void)
{
    CHECK_TEXT(parse("x; x y z;; ifce; interface;"), "print x;print x y z;empty;ifce;ifce;");
    CHECK_TEXT(parse("free; free x y; free ifce; free interface;"), "free;free x y;free-ifce;free-ifce;");
    CHECK_TEXT(parse("prnat x; memstat; exit;"), "prnat x;memstat;exit;");
    CHECK_TEXT(parse("const N=5; const M=-5; const K=2.5;"), "const N 5;const M -5;const K 2.5f;");
    CHECK_TEXT(parse("use \"a b.in\"; use \"q\\\"\\\\\\t\\z\";"), "use a b.in;use q\"\\\tz;");
    CHECK_TEXT(parse("const N=1+2;"), "1:12: syntax error, unexpected ';', but a constant is a number alone");
    CHECK_TEXT(parse("const n=1;"), "1:7: syntax error, unexpected name `n', expecting an agent");
    CHECK_TEXT(parse("(x) y;"), "1:5: syntax error, unexpected name `y', expecting '~', '<<' or '><'");
    CHECK_TEXT(parse("prnat x y;"), "1:9: syntax error, unexpected name `y', expecting ';'");
    CHECK_TEXT(parse("use \"a\nb\";"), "1:5: syntax error, string without an end on its line");
}

static void each_dialect_has_its_keyword(void)
{
    CHECK_TEXT(parse("float~A(Float(3)); float; float x y; f(float,x)><Go => float~x;"),
               "net float 3 Float/1 A/1 ~;print float;print float x y;rule float x f/2 >< Go { float x ~ };");
    CHECK_TEXT(parse("int~A;"), "1:4: syntax error, unexpected '~', expecting a name");
    CHECK_TEXT(parse("f(r)><(float k) => r~k+1;"), "rule r f/1 >< float-k { r k 1 + ~ };");
    CHECK_TEXT(parse_float("int~A(Int(3)); int; f(int,x)><(float k) => int~k;"),
               "net int 3f Int/1 A/1 ~;print int;rule int x f/2 >< float-k { int k ~ };");
    CHECK_TEXT(parse_float("float~A;"), "1:6: syntax error, unexpected '~', expecting a name");
}

static void statements_end_with_the_input(void)
{
    CHECK_TEXT(parse(""), "");
    CHECK_TEXT(parse("  // nothing\n/* at all */"), "");
    CHECK_TEXT(parse("x~A"), "1:4: syntax error, unexpected end of input, expecting ';'");
    CHECK_TEXT(parse("x\n~\n"), "3:1: syntax error, unexpected end of input, expecting a term");
    CHECK_TEXT(parse("x /* y"), "1:3: syntax error, comment without an end");
    CHECK_TEXT(parse("/*/ x;"), "1:1: syntax error, comment without an end");
}

/* 'A(' and so on, `depth` times, then the middle, then the closing. */
static char *nest(const char *open, const char *middle, const char *close, size_t depth)
{
    const size_t o = strlen(open), m = strlen(middle), c = strlen(close);
    char *text = malloc(o * depth + m + c * depth + 16), *to = text;
    to += sprintf(to, "x~");
    for (size_t i = 0; i < depth; i++, to += o)
        memcpy(to, open, o);
    memcpy(to, middle, m);
    to += m;
    for (size_t i = 0; i < depth; i++, to += c)
        memcpy(to, close, c);
    memcpy(to, ";", 2);
    return text;
}

static void depth_has_no_limit_but_memory(void)
{
    static const struct {
        const char *open, *middle, *close, *cut;
    } shapes[] = {{"A(", "1", ")", "A(1"},    {"(", "1", ")", "1"},   {"[", "", "]", "[]"},
                  {"a:", "b", "", "a:b"},     {"(1+", "2", ")", "+"}, {"(a and ", "b", ")", "and"},
                  {"-(", "1", ")", "neg"},    {"[1|", "b", "]", "["}, {"(a,", "b", ")", "()"}};
    enum { DEPTH = 20000 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char *text = nest(shapes[i].open, shapes[i].middle, shapes[i].close, DEPTH);
        CHECK(strncmp(parse(text), "net x", 5) == 0);
        CHECK(strstr(parse(text), "syntax error") == NULL);
        text[strlen(text) - 1] = 0;
        CHECK(strncmp(parse(text), "1:", 2) == 0);
        free(text);
    }
}

static void any_byte_is_an_error_or_a_word(void)
{
    CHECK_TEXT(parse_as(0, "x~\0;", 4), "1:3: syntax error, unexpected byte 0x00, expecting a term");
    CHECK_TEXT(parse("x~\xC3\xA4;"), "1:3: syntax error, unexpected byte 0xC3, expecting a term");
    CHECK_TEXT(parse("/* \xC3\xA4 \xE2\x82\xAC */ x~;"), "1:13: syntax error, unexpected ';', expecting a term");
    CHECK_TEXT(parse("x~A;\r\ny\r\n~B;\r\n"), "net x A ~;net y B ~;");
    CHECK_TEXT(parse("x~&;"), "1:3: syntax error, unexpected '&', expecting a term");
}

int main(void)
{
    RUN(terms_come_in_postfix_order);
    RUN(operators_bind_as_they_should);
    RUN(what_the_grammar_excludes_is_an_error);
    RUN(reuse_marks_belong_to_agents_tuples_and_lists);
    RUN(abbreviations_are_written_out);
    RUN(bindings_come_first);
    RUN(rules_have_branches_in_preorder);
    RUN(branches_are_complete);
    RUN(commands_are_statements);
    RUN(each_dialect_has_its_keyword);
    RUN(statements_end_with_the_input);
    RUN(depth_has_no_limit_but_memory);
    RUN(any_byte_is_an_error_or_a_word);
    return check_report();
}
