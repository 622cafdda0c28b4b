"""Addition and subtraction of numbers from 0 to 20, and the honest answer to any other calculation."""
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
PLUS += lines("""
{do you know|do you happen to know|guess|say|i wonder|i ask myself|tell me quickly} {what|how much} <a> {+|plus|and} <b> {is|makes|gives|are}
{i need|give me|i want|find|show me|tell me} {the|a} {sum|total|result|answer} {of|for|to} <a> {+|plus|and} <b>[ please]
{my homework|my exercise|the exercise|my son|my teacher|the quiz|a friend|the sheet|the book} {says|asks|wants|asks for|asked} <a> {+|plus} <b>[, help][. what is it][, please help]
{put|bring|take|count|add up} <a> and <b> {together|up|in one}[, what is it][, how much is it]
{start|begin} {with|at|from} <a> and {add|count|go up} <b>[. where am i|, what do i get]
<a> {more than|on top of|in addition to} <b>
{a number is|what is} <a> {bigger|more|larger|higher} than <b>
{quick|easy|simple|next|first|test|let us see|let's see|here is one|try this|now}[:|,] <a> {+|plus|and} <b>
{when|if} {i|you|we} {add|put|sum|combine} <a> {and|to|with} <b>[, what is the result|, what do we get|, how much is that|, what comes out]
<a> {+|plus|and} <b>[,] {how much is that|what's that|what is the answer|please|makes|gives|what is it|tell me|the result}
{would|could|can|will} you {please |kindly |quickly |}{add|sum|sum up|do|count|calculate|compute} <a> {and|plus|+} <b>[ for me]
{i have forgotten|i don't know|i forgot|remind me|help me with|i can't do|i am not sure about} <a> {+|plus} <b>
""")
PLUS_WORLD = lines("""
{<who>} {has|owns|keeps|holds} <a> <thing>[. |, ]{and |}{<who2> {brings|gives|adds|buys}|<he> {gets|finds|buys|takes|wins}} <b> more. how many <thing> {are there|does <who> have|are there now|in total}
{a box|a bag|a basket|a drawer|a table|a shelf} holds <a> <thing>. {i add|we put in|someone adds|then come} <b>[ more]. how many {are in it|now|are there}
i {see|count|bought|found|baked|ate} <a> <thing> {in the morning|today|on monday|at first} and <b> {in the evening|tomorrow|on tuesday|later}. how many {is that|in all|altogether|are that}
<a> <thing> {and|plus} <b> <thing>[, how many is that|, how many <thing> are that| makes how many]
{there are|we have} <a> {boys|girls|cats|birds|people|children} {in the room|outside|here} and <b> {more come|come in|join}. how many {are there|are there now}
{my brother|my sister|my friend|<who>} has <a> <thing>, i have <b>. how many {do we have together|have we got|are there together}
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
MINUS += lines("""
{do you know|do you happen to know|guess|say|i wonder|i ask myself|tell me quickly} {what|how much} <a> {-|minus} <b> {is|makes|gives}
{i need|give me|i want|find|show me|tell me} {the|a} {result|answer|difference} {of|for|to} <a> {-|minus} <b>[ please]
{my homework|my exercise|the exercise|my son|my teacher|the quiz|a friend|the sheet|the book} {says|asks|wants|asks for|asked} <a> {-|minus} <b>[, help][. what is it][, please help]
{start|begin} {with|at|from} <a> and {take away|subtract|count back|go down} <b>[. where am i|, what do i get]
{a number is|what is} <b> {smaller|less|lower} than <a>
what {is left|remains|stays|do i have left} {when|if|after} {i take|you take|we subtract|i subtract|you remove} <b> from <a>
{what is|how much is} <a> {without|reduced by|lowered by|less} <b>
{quick|easy|simple|next|first|test|let us see|let's see|here is one|try this|now}[:|,] <a> {-|minus|take away} <b>
{when|if} {i|you|we} {take|subtract|remove} <b> from <a>[, what is the result|, what do we get|, how much is that|, what is left]
<a> {-|minus|take away} <b>[,] {how much is that|what's that|what is the answer|please|makes|gives|what is it|tell me|the result}
{would|could|can|will} you {please |kindly |quickly |}{do|calculate|compute|work out} <a> {-|minus} <b>[ for me]
{would|could|can|will} you {please |kindly |}{take|subtract} <b> from <a>[ for me]
{i have forgotten|i don't know|i forgot|remind me|help me with|i can't do|i am not sure about} <a> {-|minus} <b>
""")
MINUS_WORLD = lines("""
{<who>} {has|owns|keeps|holds} <a> <thing>[. |, ]{and |}{<he> {eats|loses|sells|breaks|gives away}|<who2> takes} <b>[ of them]. how many <thing> {are left|does <who> have|remain|are there now}
{a box|a bag|a basket|a drawer|a table|a shelf} holds <a> <thing>. {i take out|we remove|someone takes|i eat} <b>. how many {are left in it|are left|remain|are still there}
i {bought|found|baked|had|got} <a> <thing> and {ate|lost|sold|used|dropped|gave you} <b>. how many {are left|do i have|remain|have i now}
<a> <thing> {minus|without|less} <b> <thing>[, how many is that|, how many are left]
{there are|we have} <a> {boys|girls|cats|birds|people|children} {in the room|in the tree|here} and <b> {leave|go away|go home|run away}. how many {are there|stay|are left|are still here}
of {my|the|our} <a> <thing>, <b> {are gone|are broken|are lost|were eaten|were sold}. how many {are left|are still there|remain}
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
WHO = "Tom Anna Ben Lily Max Mia Paul Sara Leo Emma Nina Omar".split()
THINGS = "sheets toys keys bottles boxes cups hats shoes chairs lemons oranges rabbits ducks fish horses roses letters coins tickets candles apples pears books coins eggs cookies balls pencils marbles flowers cards cats stamps nuts shells cakes sweets stones".split()

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
BEYOND += lines("""
{what is|what's|how much is|i need|tell me|calculate|find} <y> {percent|%} {of|from|on} <big>[.50]
{what is|what's|how much is|find|give me|calculate} {a third|a quarter|half|ten percent|two thirds|the average|the mean} of <big>
{what is|what's|find|do you know} the {square|cube|third|fourth|cubic} {root|power} of {<x>|<y>|sixty-four|hundred|forty-nine|eighty-one}
{find|solve for|what is|compute|determine} {x|y|n} {if|when|in|where} <x>{x|y|n} {+|-} <y> = <big>
{my|the|our} {bill|rent|ticket|phone|shopping|meal} {is|costs|was} <big>[.<x>] {dollars|euros|pounds}[, what is the tax|. how much is the tip|, how much for three people|. what do i pay with <y> percent off]
{i earn|i pay|i owe|i have} <big> {dollars|euros} {a month|a year|a day}[, how much in a year|. how much is that a week|, how much after tax]
{split|share|divide} <big> {among|between|by} {three|four|<x>|five} {people|friends|of us}
{convert|change} <big> {miles to kilometres|euros to dollars|feet to metres|inches to centimetres|celsius to fahrenheit|kilos to pounds}
{what is|how much is|calculate} <x>.<y> {plus|minus|times|+|-} <y>[.<x>]
""")
BEYOND += lines("""
{can you|could you|please|will you} {find|solve for|work out|tell me} {x|y|z|the unknown} {when|if|where|given that|such that} <x2>{x|y|z} {+|-} <y2> = <y3>
{find|solve|work out|what is} {x|y|z}[ in|:] <x2>{x|y|z} {+|-} <y2> = <y3>
{what's|what is|find|how much is|tell me|work out} the {square|cube|third|fourth} root of {nine|sixteen|twenty-five|eight|twenty-seven|four|a hundred|sixty-four|eighty-one|<y3>}
{what's|what is|how much is|tell me} {three|four|five|six|seven|two|nine|ten|twelve} {times|multiplied by|divided by|over|to the power of} {three|four|two|six|seven|eight|five}
{my|the|our} {bill|dinner|taxi|meal|check|lunch} {is|was|came to|comes to} <y3>.<x>[ euros| dollars] and i {want|would like|have|need} to {tip|add|leave|give} <y2> {percent|%}[. how much is that|. what do i pay|. how much do i leave|, what is the total]
{a|the} {shirt|coat|phone|book|bike|ticket|lamp} {costs|is} <big> {and is|but is|with} <y2> {percent|%} {off|reduced|discount}[. what do i pay|, how much is it|. what is the new price]
{i|we|a train|a car|she} {drive|drives|walk|walks|run|runs|ride} <x2> {kilometres|miles|km} in <y2> {hours|minutes}[. how fast is that|, what is the speed|. how long for <big> km]
{each|every} {box|bag|child|row|table} {has|holds|gets} <x2> {eggs|apples|sweets|seats|books}[,] and there are <y2> {boxes|bags|children|rows|tables}. how many {in all|altogether|are there|is that}
{how many|what number of} {minutes|seconds|hours|days|weeks} {are|is} in {<x2> {hours|days|weeks|years}|a day|a week|a year|a month|half a day}
{what is|how much is|compute} {half|a third|a quarter|double|twice|three times|the square|the double} of {<x2>|<y3>|<big>|eighteen|fourteen|thirty}
{how old is|when was|what year was} {someone|a man|a woman|she|he|my father} {born in|who was born in} 19<y3>[ today| now]
{give me|what are|list|name} the {first|next} {five|ten|<x2>} {primes|prime numbers|even numbers|squares|multiples of <x2>|fibonacci numbers}
{is|would you say} <x2> {a prime number|a prime|divisible by <y2>|even or odd|a square number|bigger than <y2> squared}
""")
BEYOND_ANSWERS = lines("""
I can only add and subtract numbers up to 20. {For harder sums, get a bigger model under **Models > Discover**.|A bigger model can do more: look under **Models > Discover**.}
""")
PLUS += lines("""
my piggy bank holds <a> coins, grandma drops in <b>, what's inside now
<a> kids ride the bus and <b> hop on at the stop, how many riders
yesterday i read <a> pages and today <b>, pages altogether?
we scored <a> goals in the first half, <b> in the second. our final score?
i planted <a> tulips last week and <b> this week. what's the flower count
<a> guests said yes, then another <b> did too. how many plates do i need
bought milk for <a> euros and bread for <b>, what did i spend
the shirt was <a> dollars, the socks <b>. total bill?
if a pen costs <a> and a ruler costs <b>, what do both cost
our hen laid <a> eggs, the neighbour's hen <b>. all eggs?
she is <a> years old, how old will she be in <b> years
my cousin is <a>, his sister is <b> years older. how old is she
it's <a> degrees now and gets <b> degrees warmer, what will it show
i walked <a> km before lunch plus <b> km after, how far was that
waited <a> minutes, then <b> minutes longer. how long did i wait
the lift is on floor <a> and goes up <b> floors, which floor is that
<a> sheep graze here, <b> graze over there, how big is the flock
one shelf carries <a> books, the other carries <b>. books on both?
dad caught <a> fish, i caught <b>, how many did we catch
pour <a> cups of flour in, then <b> cups more. cups in the bowl?
i owed him <a> euros and borrowed <b> again, what's my debt
in the fridge are <a> yoghurts, mum brings <b>. yoghurts now?
roll of the dice: <a> and <b>, what did i throw in all
level <a>, and i climb <b> levels. which level am i on
<a> candles burn and i light <b> others. how many burn
raise <a> by <b>
increase <a> by <b> please
<a> and another <b>, that makes?
<a> with <b> extra
what number comes <b> after <a>
sum up <a> with <b> quickly
my kid asks what <a> and <b> come to
got <a> points already, earned <b> new ones. points?
let me have <a> plus <b> please
""")
MINUS += lines("""
i had <a> euros and spent <b>, what's in my wallet
paid with a <a> euro note for something that costs <b>. my change?
the cake had <a> slices, we ate <b>, slices remaining?
<a> birds sit on a wire and <b> fly off, how many sit there still
<a> passengers aboard, <b> get off. passengers left on board?
my book has <a> chapters, i have finished <b>. how many to go
the trip is <a> km, <b> km are behind us. how far yet
<a> balloons at the party, <b> popped. good ones left?
mum baked <a> muffins, dad sneaked <b>. muffins on the tray?
i want <a> stickers and own <b>, how many are missing
i need <a> points to win and have <b>. how many more do i need
she is <a> and her brother is <b>, how much older is she
tim is <a> years old, how old was he <b> years ago
it was <a> degrees, then it dropped by <b>. how cold is it
the lift stands at floor <a>, i go down <b>. where do i get out
<a> students in class, <b> are sick today. how many came
out of <a> matches we lost <b>, how many did we not lose
a jar with <a> sweets, my sister grabs <b>. what stays in the jar
<a> days of holiday, <b> are over already. days left?
the film starts in <a> minutes and <b> have passed. how long do i wait
i bought <a> eggs but <b> broke on the way home. whole ones?
the rope is <a> metres long and i cut off <b>. rest?
<a> lives in the game, lost <b>. lives?
lend me: i have <a>, give <b> to you, keep what
i owe <a> and pay back <b>, what do i still owe
<a> sheep on the meadow, <b> run through the gate. sheep on the meadow?
lower <a> by <b>
decrease <a> by <b> please
knock <b> off <a>
cut <b> from <a>
what number comes <b> before <a>
how much more is <a> than <b>
by how much does <a> exceed <b>
what's missing from <b> to get to <a>
from <a> deduct <b>
""")


class Sums:
    def __init__(self, g):
        self.g = g
        self.pairs = []

    def pair(self):
        """Returns every pair of 0..20 equally often, in random order."""
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
        if not follow and g.chance(0.2):
            thing = g.pick(THINGS)
            wa, wb = (NAMES[a], NAMES[b]) if g.chance(0.15) else (a, b)
            text = g(PLUS_WORLD if op == "+" else MINUS_WORLD, a=wa, b=wb, thing=thing, who=g.pick(WHO), who2=g.pick(WHO), he=g.pick(["he", "she"]))
            for crowd in ("boys", "girls", "cats", "birds", "people", "children"):
                if " " + crowd + " " in text:
                    thing = crowd
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
        text = g(BEYOND, x=r.randint(2, 99), y=r.randint(2, 99), big=big, big2=big2,
                 x2=r.randint(2, 12), y2=r.randint(2, 20), y3=r.randint(10, 99)).strip()
        if g.chance(0.4):
            text += "?"
        return text, g(BEYOND_ANSWERS)
