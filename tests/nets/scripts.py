"""Scripts for tests of parser, printer, C generator and image."""

NEURON = """
Concrete(float k) >< Add(out, b) | k == 0 => out ~ b | _ => b ~ AddCheckConcrete(out, k);
Concrete(float j) >< AddCheckConcrete(out, float k) => out ~ Concrete(j + k);
Concrete(float k) >< Mul(out, b) | k == 0 => out ~ Concrete(0), b ~ Eraser | k == 1 => out ~ b
    | _ => b ~ MulCheckConcrete(out, k);
Concrete(float j) >< MulCheckConcrete(out, float k) => out ~ Concrete(j * k);
Concrete(float k) >< ReLU(out) | k > 0 => out ~ Concrete(k) | _ => out ~ Concrete(0);
x1 ~ Dup(Mul(v1, Concrete(0.5)), Eraser); x2 ~ Mul(v2, Concrete(-1.25));
v1 ~ Add(s1, v2); s1 ~ Add(s2, Concrete(0.125)); s2 ~ ReLU(y);
y;
"""
"""y = relu(x1 * 0.5 + x2 * -1.25 + 0.125), by the rules of the thesis, in the float dialect."""

TILE = """
Join(r, b) >< Ready(int e) => b ~ JoinWith(r, e);
JoinWith(r, int e) >< Ready(int f) | e != 0 => r ~ Ready(e) | _ => r ~ Ready(f);
Conv1(r, int t) >< Ready(int e) | e != 0 => r ~ Ready(e) | _ => r ~ Ready(x) where x = conv1(t);
Fail2(r, int t) >< Ready(int e) | e != 0 => r ~ Ready(e) | _ => r ~ Ready(fail2(t));
Never3(r, int t) >< Ready(int e) | e != 0 => r ~ Ready(e) | _ => r ~ Ready(x) where x = never(t);
Ready(start()) ~ Dup(Conv1(a, 0), Conv1(b, 1));
a ~ Join(c, b), c ~ Dup(Fail2(d, 0), Fail2(e, 1));
e ~ Fail2(f, 5);
d ~ Join(g, h), f ~ i, i ~ j, j ~ h;
g ~ Dup(Eraser, k), k ~ Never3(l, 0), l ~ Join(done, m), Ready(0) ~ m;
done;
"""

NUMBERS = """
Gcd(r) >< P(int a, int b) | b == 0 => r ~ R(a) | _ => Gcd(r) ~ P(b, a % b);
Quotient(r, int a) >< R(int b) => r ~ R(a / b);
Remainder(r, int a) >< R(int b) => r ~ R(x) where y = a % b x = y;
Gate(r, int a) >< R(int b) | a / b > 3 => r ~ R(1) | _ => r ~ R(0);
Less(r) >< P(int a, int b) => r ~ R(a - b);
Negate(r) >< R(int a) => r ~ R(-a);
Truth(r) >< P(int a, int b) => r ~ R((a < b) == ((b > a) and a != 4));
Both(r) >< P(int a, int b) => r ~ R(a and (b or (not a)));
Not(r) >< R(int a) => r ~ R((not a));
Half(r) >< R(int a) => r ~ F(a / 2.0);
Rest(r, float y) >< F(float x) => r ~ F(x % y);
Many(r) >< F(float x)
    | x < 0 => r ~ F(x)
    | (x >= 2) or (x == 0.5) => r ~ F(-x)
    | _ => r ~ F(y * 2 - 3) where y = x + (x > 1);
// The net.
Gcd(gcd) ~ P(42, 28);
Quotient(quotient, -7) ~ R(2);
Remainder(remainder, -7) ~ R(2);
Less(wrapped) ~ P(-9223372036854775808, 1);
Negate(negated) ~ R(-9223372036854775808);
Truth(truth) ~ P(2, 3);
Both(both) ~ P(3, 0);
Not(not_seven) ~ R(7);
Half(half) ~ R(7);
Rest(rest, 2) ~ F(7.5);
Many(many) ~ F(0.875);
gcd quotient remainder wrapped negated truth both not_seven half rest many;
"""

WIRES = """
Swap(x, y) >< Pair(a, b) => u ~ a, x ~ v, v ~ b, y ~ u;
Twist(x, y) >< Pair(a, b) => Pair(p, q) ~ Swap(s, t), s ~ x, y ~ t, a ~ p, q ~ b, l ~ m, m ~ l, n ~ n;
Spread(x, y, int i, z) >< Go => Hub(p, q, r, s, i) ~ Fan(p, s, q, r, x, y, z);
Hub(p, q, r, s, int i) >< Fan(a, b, c, d, x, y, z) => p ~ x, a ~ R(i), q ~ Eraser, b ~ R(5), r ~ y, c ~ R(6),
    s ~ Eraser, d ~ R(i + 1), z ~ Eraser;
Go ~ Spread(e, f, 1, R(7));
Twist(e, g) ~ Pair(a, b);
Swap(f, i) ~ Pair(g, c), i ~ R(3);
a b c;
"""
