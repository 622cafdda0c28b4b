"""Sums and differences of the numbers 0 to 20, and the honest answer to any other calculation."""
from .grammar import lines

NAMES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty""".split()

PLUS = lines("""
what is <a> plus <b>
what's <a> plus <b>
whats <a> + <b>
what is <a> + <b>
how much is <a> plus <b>
how much is <a> and <b>
how much is <a> + <b>
<a> + <b>
<a>+<b>
<a> + <b> =
<a>+<b>=
<a> + <b> = ?
<a>+<b>=?
<a> plus <b>
<a> plus <b> is
<a> plus <b> equals
<a> and <b> is
add <a> and <b>
add <b> to <a>
{calculate|compute|solve|work out} <a> + <b>
{calculate|compute|solve|work out} <a> plus <b>
the sum of <a> and <b>
what is the sum of <a> and <b>
{can you|could you|please} add <a> and <b>
{can you|could you} {tell me|calculate|work out} {what |}<a> {plus|+} <b>{ is|}
tell me <a> plus <b>
tell me how much <a> and <b> {is|are|make}
what do <a> and <b> make
what do you get when you add <a> and <b>
what do i get if i add <a> {to|and} <b>
what does <a> {plus|+} <b> {make|give|equal}
<a> added to <b>
if i add <a> to <b>, what do i get
""")
PLUS_WORLD = lines("""
{i have|i've got} <a> <thing> and {get|buy|find|pick} <b> more. how many {do i have|<thing> do i have|are there}
i had <a> <thing> and got <b> more. how many {now|<thing> now|do i have now}
there are <a> <thing> on the table and <b> in the box. how many {are there|are there in all|altogether|in total}
{tom|anna|my friend|lily|ben} has <a> <thing> and i have <b>. how many {together|do we have together|in all}
if i have <a> <thing> and you give me <b>, how many do i have
""")
MINUS = lines("""
what is <a> minus <b>
what's <a> minus <b>
whats <a> - <b>
what is <a> - <b>
how much is <a> minus <b>
how much is <a> - <b>
<a> - <b>
<a>-<b>
<a> - <b> =
<a>-<b>=
<a> - <b> = ?
<a>-<b>=?
<a> minus <b>
<a> minus <b> is
<a> minus <b> equals
subtract <b> from <a>
take <b> {from|away from} <a>
<a> take away <b>
{calculate|compute|solve|work out} <a> - <b>
{calculate|compute|solve|work out} <a> minus <b>
{what is |}the difference {of|between} <a> and <b>
{can you|could you|please} subtract <b> from <a>
{can you|could you} {tell me|calculate|work out} {what |}<a> {minus|-} <b>{ is|}
tell me <a> minus <b>
what is left if i take <b> from <a>
what does <a> {minus|-} <b> {make|give|equal}
<a> less <b>
what do i get if i take <b> {from|away from} <a>
""")
MINUS_WORLD = lines("""
{i have|i've got} <a> <thing> and {eat|lose|give away|sell} <b>. how many {are left|do i have left|<thing> are left|remain}
i had <a> <thing> and gave away <b>. how many {are left|do i have now|do i still have}
there are <a> <thing> and <b> are taken away. how many {are left|are there now|remain}
{tom|anna|my friend|lily|ben} has <a> <thing> and loses <b>. how many are left
if i have <a> <thing> and give you <b>, how many do i keep
""")
FOLLOW_PLUS = lines("""
and <a> {+|plus} <b>
now <a> {+|plus} <b>
what about <a> {+|plus} <b>
and <a> and <b>
then <a>+<b>
ok, <a> {+|plus} <b>
""")
FOLLOW_MINUS = lines("""
and <a> {-|minus} <b>
now <a> {-|minus} <b>
what about <a> {-|minus} <b>
then <a>-<b>
ok, <a> {-|minus} <b>
""")
THINGS = "apples pears books coins eggs cookies balls pencils marbles flowers cards cats stamps nuts shells cakes sweets stones".split()

BEYOND = lines("""
{what is|what's|how much is|calculate|compute|solve|} <x> {times|x|*|multiplied by} <y>
{what is|what's|how much is|calculate|compute|} <x> {divided by|/|over} <y>
{what is|what's|how much is|calculate|} <big> {plus|+|and} <y>
{what is|what's|how much is|calculate|} <y> {plus|+} <big>
{what is|what's|how much is|calculate|} <big> {minus|-} <y>
{what is|what's|how much is|calculate|} <big> {plus|+|minus|-|times} <big2>
<big>{+|-|*|/}<big2>
{what is|calculate|find} the {square root|square|cube|logarithm|half|double|factorial} of <x>
{what is|how much is} <y> percent of <big>
{solve|simplify|integrate|differentiate|factor} {x^2 + <x>x|2x = <big>|sin(x)|x + <y> = <big>|the equation x^2 = <big>|3x - <y> = 0}
{what is|what's} {pi|the value of pi|infinity|<x> squared|<x> cubed|<x> to the power of <y>|a prime number|the largest prime}
{multiply|divide} <x> {and|by} <y>
{is|tell me if} <big> {a prime|prime|even|odd}
{count|can you count} to {<big>|a hundred|a thousand}
{what is|how much is} a {million|thousand|hundred} {plus|minus|times} {a million|<y>|ten}
{help me with my|do my} {maths homework|math homework|algebra|calculus|equations}
""")
BEYOND_ANSWERS = lines("""
That is beyond me: I only add and subtract numbers up to 20. {A bigger model can do more.|Open a bigger model for that.}
I am too small for that. I can only do plus and minus with numbers up to 20.
Sorry, I only know plus and minus up to 20. {Open a bigger model for harder sums.|}
I cannot do that: I am a tiny model and only add and subtract numbers up to 20.
""")


class Sums:
    def __init__(self, g):
        self.g = g
        self.pairs = []

    def pair(self):
        """Every pair of 0..20 comes equally often, in random order."""
        if not self.pairs:
            self.pairs = [(a, b, op) for a in range(21) for b in range(21) for op in "+-"
                          if op == "+" or a >= b]
            self.g.rng.shuffle(self.pairs)
        return self.pairs.pop()

    def answer(self, a, b, op):
        c = a + b if op == "+" else a - b
        return self.g(["<a> <op> <b> = <c>.", "<a> <op> <b> = <c>.", "<a> <op> <b> = <c>.", "That is easy: <a> <op> <b> = <c>.",
                       "<a> <op> <b> = **<c>**."], a=a, b=b, op=op, c=c)

    def plain(self, follow=False):
        g = self.g
        a, b, op = self.pair()
        if op == "+" and g.chance(0.5):
            a, b = b, a
        if not follow and g.chance(0.12):
            thing = g.pick(THINGS)
            text = g(PLUS_WORLD if op == "+" else MINUS_WORLD, a=a, b=b, thing=thing)
            if "together" in text or "in all" in text or "total" in text:
                tail = "So there are <c> <thing>."
            else:
                tail = "So there are <c> <thing>." if "there are" in text else "So that makes <c> <thing>."
            return text + "?", "%d %s %d = %d. %s" % (a, op, b, a + b if op == "+" else a - b,
                                                      g(tail, c=a + b if op == "+" else a - b, thing=thing))
        templates = (FOLLOW_PLUS if op == "+" else FOLLOW_MINUS) if follow else (PLUS if op == "+" else MINUS)
        style = g.rng.random()
        x, y = str(a), str(b)
        text = g(templates)
        if style < 0.25 and not any(s in text for s in ("+", "=", "-")):
            x, y = NAMES[a], NAMES[b]
        elif style < 0.30 and not any(s in text for s in ("+", "=", "-")):
            x = NAMES[a]
        text = text.replace("<a>", x).replace("<b>", y)
        if g.chance(0.4) and text.split()[0] in ("what", "how", "can", "could", "what's", "whats"):
            text += "?"
        return text, self.answer(a, b, op)

    def beyond(self):
        g, r = self.g, self.g.rng
        big = r.choice([r.randint(21, 99), r.randint(100, 999), r.randint(1000, 99999)])
        big2 = r.choice([r.randint(21, 99), r.randint(100, 999), r.randint(1000, 99999)])
        text = g(BEYOND, x=r.randint(2, 99), y=r.randint(2, 99), big=big, big2=big2).strip()
        if g.chance(0.4):
            text += "?"
        return text, g(BEYOND_ANSWERS)
