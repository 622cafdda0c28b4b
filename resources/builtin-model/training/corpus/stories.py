"""Short stories about a named hero, composed from plots whose parts fit together."""
from . import lists as L, names
from .grammar import lines, words


def article(noun):
    return ("an " if noun[0].lower() in "aeiou" and not noun.startswith(("unicorn", "one")) else "a ") + noun


class Hero:
    """noun 'fox', full 'a brave fox', name 'Felix', and the pronouns. asked: how the prompt gives the name ("", "noun" or "name only")."""

    def __init__(self, g, invented):
        group, places, _ = g.rng.choices(L.GROUPS, [w for _, _, w in L.GROUPS])[0]
        self.noun = g.pick(group)
        self.places = places
        oddity = g.rng.random()
        if oddity < 0.10:
            self.noun, self.places = g.pick(L.MATERIALS) + " " + self.noun, L.GROUPS[-1][1]
        elif oddity < 0.16:  # an invented word, which the model can only copy
            self.noun, self.places = invented().lower(), L.GROUPS[-1][1]
        girl = g.chance(0.5)
        if self.noun in ("king", "prince", "boy", "grandfather", "old man", "postman", "fisherman", "policeman", "monk", "rooster", "stag"):
            girl = False
        if self.noun in ("queen", "princess", "girl", "grandmother", "old woman", "witch", "mermaid", "nun", "hen", "cow"):
            girl = True
        self.sex = "f" if girl else "m"
        self.name = g.pick(L.GIRLS if girl else L.BOYS)
        self.asked = g.rng.choices(["", "noun", "name only"], [40, 42, 18])[0]
        if self.asked and g.chance(0.75):
            self.name = invented()
        self.trait = g.pick(L.TRAITS) if g.chance(0.3) and self.asked != "name only" else ""
        self.full = article((self.trait + " " if self.trait else "") + self.noun)

    def values(self):
        he, his, him = {"m": ("he", "his", "him"), "f": ("she", "her", "her")}[self.sex]
        return dict(N=self.name, hero=self.noun, full=self.full, he=he, his=his, him=him, He=he[0].upper() + he[1:],
                    His=his[0].upper() + his[1:], place="")


OPENINGS = lines("""
Once upon a time, there was <full> named <N> who lived in a <where>.
Once upon a time, there was <full> called <N>. <N> lived in a <where>.
Once, in a <where>, there lived <full> named <N>.
Long ago, <full> named <N> lived in a <where>.
In a <where>, there was <full> called <N>.
There once was <full> named <N>, who lived in a <where>.
A long time ago, in a <where>, there lived <full> called <N>.
""")

HELPERS = words("""old owl, kind mouse, wise turtle, friendly bird, little girl, old man, small frog, clever crow, gentle horse,
tiny ant, young boy, patient snail, grey cat, white goose, kind baker, quiet stranger, brave sparrow, old woman, funny goat""")
ITEMS = words("""red scarf, silver key, small bell, golden ring, blue hat, wooden flute, old map, warm blanket, little book,
green stone, glass ball, paper star, shiny button, music box, yellow ball, favourite cup""")
SPOTS = words("""under a big tree, behind the old mill, on top of the hill, beside the river, in the tall grass, under the bridge,
behind a large stone, near the well, in an empty nest, at the edge of the pond, under a pile of leaves, in the garden""")
SKILLS = words("""sing, dance, swim, paint, read, whistle, climb, bake bread, play the flute, skate, count the stars, juggle, draw,
tell stories, ride a bicycle, sail a boat, plant flowers, cook soup""")
FOODS = words("apples, berries, honey cakes, warm bread, nuts, soup, carrots, sweet pears, pancakes, cherries, cookies, plums")
WISHES = words("""the sea, the highest mountain, the first snow, the stars up close, the big city, a rainbow, the other side of the
hill, the morning sun above the clouds, the northern lights, the old castle, a waterfall, the end of the river""")
FRIENDS = words("""rabbit, mouse, duck, cat, dog, hedgehog, robin, frog, squirrel, sheep, pony, goat, turtle, bee, fawn,
sparrow, owl, bear, kitten, puppy, donkey, mole, beaver, lamb""")

# Each plot is a list of steps; a step is a list of alternative sentences. tell() defines the placeholders.
PLOTS = [
    # something lost
    [["One {morning|day|evening}, <N> could not find <his> <item>.", "One {day|morning}, <N> lost <his> <item> on the way home.",
      "<N> loved <his> <item> very much, but one day it was gone."],
     ["<He> looked {everywhere|high and low}, but it was not there.", "<N> searched all day and found nothing.",
      "The <hero> looked under every stone and behind every door."],
     ["{Then|At last} <a_helper> came by and said, \"I will help you look.\"", "<A_helper> saw that <N> was sad and offered to help.",
      "<N> asked <a_helper> for help, and they searched together."],
     ["They found the <item> <spot>.", "Together they found the <item> <spot>.", "And there it was: the <item> was lying <spot>!"],
     ["<N> was so happy that <he> shared <his> <food> with the <helper>.", "<N> thanked the <helper>, and they became good friends.",
      "<N> learned that looking is easier with a friend."]],
    # learning a skill
    [["<N> wanted to learn to <skill>, but nobody had ever shown <him> how.", "More than anything, <N> wanted to <skill>.",
      "<N> dreamed of being able to <skill>."],
     ["At first it {did not go well|was very hard}, and the others laughed.", "The first try went wrong, and so did the second.",
      "<He> tried again and again, but it was not easy."],
     ["Then <a_helper> said, \"Go slowly, and do not give up.\"", "<A_helper> watched and gave <N> some good advice: practise a little every day.",
      "One day <a_helper> sat down beside <him> and showed <him> how."],
     ["So the <hero> practised every {day|morning|evening}.", "<N> practised for {many days|a whole week|a whole winter}.",
      "Every day, the <hero> got a little better."],
     ["In the end, <N> could <skill> better than anyone, and everybody clapped.", "Soon <N> could <skill>, and <he> was very proud.",
      "From then on, <N> taught others to <skill>, too."]],
    # a storm
    [["One night, a great storm came.", "One evening, the sky turned dark and a storm began.", "One autumn day, a storm shook the whole <place>."],
     ["The wind blew so hard that <a_friend> lost its way.", "The rain fell for hours, and <a_friend> was left outside in the cold.",
      "In the middle of the storm, <N> heard <a_friend> calling for help."],
     ["<N> was afraid, but <he> went out with a small lantern.", "The <hero> was afraid of the thunder, but <he> did not stay at home.",
      "<N> took a deep breath and went out into the rain."],
     ["<He> found the <friend> <spot> and brought it home.", "Step by step, <N> followed the sound and found the <friend> <spot>."],
     ["They sat by the fire and ate <food> until the storm was over.", "In the morning the sun came out, and the two were friends for ever.",
      "Since that night, everyone in the <place> called <him> {brave|a true friend}."]],
    # loneliness
    [["<N> had no friends and often felt lonely.", "<N> was often alone and wished for a friend.", "Every evening, <N> sat alone and watched the sky."],
     ["One day, <he> met <a_friend> <spot>.", "One {morning|day}, <a_friend> moved into the house next door.", "One day, <a_friend> came by, looking for the way home."],
     ["At first they were both too shy to speak.", "The <friend> was shy, and so was <N>.", "Neither of them knew what to say."],
     ["Then <N> offered the <friend> some <food>, and they began to laugh.", "Then it began to rain, and they had to share one umbrella.",
      "So <N> showed the <friend> <his> <item>, and soon they were talking like old friends."],
     ["From that day on, they met every evening, and <N> was never lonely again.", "After that, nobody ever saw the <hero> without the <friend>.",
      "And so the <hero> found a friend at last."]],
    # a journey
    [["<N> wanted to see <wish>.", "<N> had always dreamed of seeing <wish>.", "All <his> life, <N> had wanted to see <wish>."],
     ["So one morning <he> packed some <food> and set off.", "One day <he> took <his> <item> and started to walk.",
      "One {spring|summer} morning, the <hero> left home with a small bag."],
     ["The way was long, and <N> grew tired.", "On the second day, <he> got lost in the fog.", "After three days, <he> came to a wide river and could not cross."],
     ["<A_helper> came along and showed <him> the way.", "Luckily, <a_helper> knew the path and walked with <him>.",
      "<N> asked <a_helper> for help, and together they went on."],
     ["When they arrived, it was even more beautiful than <N> had hoped.", "At last <N> saw <wish>, and <his> heart was full of joy.",
      "In the end, <N> saw <wish>, and then <he> was glad to go home and tell everyone."]],
    # sharing
    [["<N> had a big basket of <food>, and <he> did not want to share.", "One day, <N> found a basket full of <food>.",
      "<N> loved <food> more than anything."],
     ["A hungry <friend> asked for some, but <N> said no.", "Then <a_friend> came by, looking hungry.", "<A_friend> knocked at the door and asked for a little to eat."],
     ["That night, <N> could not sleep, because <he> kept thinking about it.", "<N> looked at the basket and thought for a long time.",
      "The <hero> felt bad and did not know what to do."],
     ["So <he> gave half of the <food> to the <friend>.", "In the end, <N> invited the <friend> to eat with <him>.",
      "Then <N> called the <friend> back and shared everything."],
     ["The <food> tasted much better together.", "The next day, the <friend> came back with a gift, and they have been friends ever since.",
      "That day, <N> learned that sharing makes everyone happy."]],
    # a mystery at night
    [["Every night, <N> heard a strange sound <spot>.", "One night, <N> heard a strange noise outside.", "One night, <N> saw a small light <spot>."],
     ["Everyone in the <place> was afraid of it, but <N> was curious.", "<He> was a little afraid, but <he> wanted to know what it was.",
      "\"What can that be?\" the <hero> wondered."],
     ["So <he> crept out quietly, step by step.", "<N> took a candle and went to look.", "The <hero> put on a warm coat and went outside."],
     ["It was only <a_friend>, who had lost its way home.", "There sat <a_friend>, practising a song in secret.",
      "Behind a bush, <he> found <a_friend> with a tiny lantern."],
     ["<N> laughed and took the <friend> home for some <food>.", "They both laughed, and from then on they met every night.",
      "From that night on, nobody in the <place> was afraid any more."]],
    # too small
    [["<N> was smaller than all the others, and they laughed at <him>.", "Everyone said that <N> was too small to be of any help.",
      "The others never let <N> join their games, because <he> was so small."],
     ["One day, <a_friend> fell into a deep hole.", "One day, the key to the <place> fell into a narrow crack.", "One day, <a_friend> got stuck under an old bridge."],
     ["Nobody knew what to do, and nobody else could fit through.", "The big ones pulled and pushed, but nothing helped.", "Everyone shouted, but no one had an idea."],
     ["Only <N> was small enough to climb in.", "Then <N> stepped forward and slipped through the gap.", "\"Let me try,\" said <N>, and <he> squeezed through."],
     ["It worked, and everyone cheered for the little <hero>.", "After that, nobody laughed at <N> again.", "That day, they all learned that small ones can do great things."]],
    # a contest
    [["One {spring|summer}, there was a great race in the <place>.", "Every year, there was a big race, and <N> had never won.",
      "One day, the <place> held a great race."],
     ["<N> trained hard, but the others were much faster.", "<N> was nervous, because the others were so fast.", "All the fast runners were there, and <N> stood at the very end."],
     ["In the middle of the race, <a_friend> fell and hurt its foot.", "Halfway along, <N> saw <a_friend> sitting beside the road, crying.",
      "Just before the finish, <a_friend> stumbled and fell."],
     ["<N> stopped, helped the <friend> up, and walked with it to the end.", "The <hero> could have won, but <he> stopped to help.",
      "<N> did not think twice and carried the <friend> across the line."],
     ["They came last, but everyone clapped the loudest for them.", "<N> did not win the race, but <he> won a friend.",
      "In the end, the prize for the kindest heart went to <N>."]],
    # a broken thing mended
    [["One day, the big clock of the <place> stopped, and nobody could mend it.", "One winter, the old bridge broke, and nobody could leave the <place>.",
      "One day, the well of the <place> ran dry."],
     ["Everyone complained, but nobody did anything.", "The others gave up, but <N> wanted to help.", "<N> looked at it for a long time and had an idea."],
     ["<He> worked all day and all night.", "<N> asked <a_helper> to help, and they began to work.", "With the help of <a_helper>, <he> went to work."],
     ["It took a long time, and <he> made many mistakes.", "Twice it went wrong, but the <hero> kept trying.", "Slowly, piece by piece, the work was done."],
     ["At last it worked again, and the whole <place> danced.", "When it was finished, everyone thanked <N> with <food>.",
      "Since then, whenever something breaks, they call for <N> the <hero>."]],
    # a secret garden
    [["One day, <N> found a small door <spot>.", "While walking, <N> discovered a little gate <spot>.", "One morning, <N> saw an old wooden door <spot>."],
     ["It was not locked, so <he> went in.", "<He> was curious and opened it.", "The <hero> looked around, and then <he> went in."],
     ["Behind it was a garden where everything was dry and grey.", "It led to a forgotten garden, full of weeds.", "Behind it was a garden that everyone had forgotten."],
     ["<N> carried water there every day, and <a_helper> helped.", "With <a_helper>, <he> planted seeds and watered them every day.",
      "Day after day, the <hero> dug, planted and waited."],
     ["In spring, the garden was full of flowers, and everyone was welcome.", "By summer there were {roses|apples|cherries} everywhere, and <N> invited the whole <place>.",
      "Soon it was the most beautiful spot in the whole <place>."]],
    # a wish
    [["One night, <N> saw a falling star and made a wish.", "One day, <N> found a magic stone that could grant one wish.",
      "One day, an old woman told <N>, \"You have one wish.\""],
     ["<N> could have asked for gold, but <he> thought of <a_friend>, who was ill.", "First <he> wanted a castle, then a mountain of <food>.",
      "<N> thought about it for three whole days."],
     ["Then <he> saw <a_friend> sitting alone in the cold.", "On the third day, <he> met <a_friend> who had nothing at all.", "Then <he> heard <a_friend> crying <spot>."],
     ["So <N> wished for a warm home for the <friend>.", "So the <hero> gave the wish away to the <friend>.", "So <N> wished that the <friend> would be happy again."],
     ["The wish came true, and <N> had never been so happy.", "And it came true, and <N> got something better than gold: a friend.",
      "<N> never had another wish, and <he> never needed one."]],
]
CLOSINGS = ["And they lived happily ever after.", "The end.", "And that was the best day of all.", "And if they are still there, they are still friends today.",
            "That night, <N> slept very well.", "<N> never forgot that day."]

PROMPTS = lines("""
{Tell|tell} me a story about <full>
{Tell|tell} me a [short|little|nice|funny|bedtime|good] story about <full>
{Tell|tell} me a {tale|short tale|fairy tale} about <full>
{tell|give|write|read|make|invent|make up} {me|us} a story about <full>
{can|could|would|will} you {please |}tell me a story about <full>
{can|could} you {write|make up|invent|tell} a [short|little] story about <full>
i {want|would like|'d like} {a|to hear a} story about <full>
{write|make up|invent|tell} a [short|little|nice] story about <full>
a story about <full>{ please||}
story about <full>
story: <full>
do you know a story about <full>
i want to hear about <full>
tell a story with <full>
{tell me|give me} something about <full> {for bedtime|before i sleep|for my kids}
please tell {me|my son|my daughter|the kids} a story about <full>
my {son|daughter|kid|child|little sister} wants a story about <full>
let's have a story about <full>
how about a story {about|with} <full>
{once upon a time there was <full>... go on|continue: once upon a time there was <full>}
tell me about <full> {and its adventures|in a story}
make <full> the hero of a story
{a|one} {bedtime|short|little} story about <full>{ please||, please}
a {bedtime|short} story with <full>
i need a {story|bedtime story} about <full>
could i {get|have|hear} a story about <full>
""")
PROMPTS += lines("""
{please |}{tell|read|give|write|invent|make up|narrate|create|compose|think of} {me|us|my kids|the children|my daughter} {a|one|some} {story|tale|fairy tale|little story|bedtime story|short story|adventure} {about|of|with|starring|featuring} <full>[ please][ now][ tonight]
{i'd|i would|we would|we'd} {like|love} {a|to hear a|to read a|another} {story|tale|bedtime story|fairy tale} {about|of|with} <full>[ please]
{i|we} {want|need|wish for|am in the mood for} {a|a little|a short|some} {story|tale|bedtime story|fairy tale} {about|of|with|starring|in which the hero is} <full>
{let's|let us|let me|may i|can i|can we|could we|may we} {have|hear|get|listen to|enjoy} {a|a little|one} {story|tale|bedtime story|fairy tale} {about|of|with} <full>
{a|the|some} {story|tale|fairy tale|bedtime story} {where|in which} {the {hero|main character|star} is <full>|<full> is the {hero|star|main character}}[ please]
{the hero|the main character|my hero|your hero} {is|should be|must be|could be} <full>[. tell me the story|. go|, now tell the story][ please]
{do you have|have you got|is there|are there|do you know} {a|any|one} {story|stories|tale|tales|fairy tale} {about|of|with} <full>
{could|can|would|will} you {think of|invent|come up with|make up|write|read|tell us|do|create} {a|one|some} {little |short |nice |}{story|tale|fairy tale|bedtime story} {about|of|with|for me about} <full>
{what happens|what happened} to <full>[ in a story]
{it is|it's} {late|bedtime|evening|raining}[,|.] {a story about <full>|tell me a story about <full>|we want a story about <full>|i want to hear about <full>}
{my|our} {son|daughter|kids|children|little boy|little girl|niece|nephew|grandchild} {loves|likes|want|asks for|would like} {a story about|a tale of|to hear about|stories about} <full>
{the adventures of|the tale of|the story of|a day in the life of|the life of|the journey of} <full>[ please]
{tell|write|give} {a|me a|us a} {sad|happy|long|very short|exciting|sweet|scary|simple|cosy|christmas|winter|summer} story {about|with} <full>
{hero|story hero|character}: <full>
{story|tale|fairy tale|bedtime story}[,] {with|about|of} <full>[ please]
i {like|love} stories about <full>
""")
NAMED = lines("""
{please |}{tell|write|give|read|invent} {me|us} {a|the} {story|tale|adventure|bedtime story} {of|about} {<N> the <hero>|<full> {named|called} <N>|<N>, <full>}
{the adventures of|the tale of|the story of} <N> the <hero>
{can|could|would|will} you {tell|write|make up|invent} a {story|tale} about {<N> the <hero>|<full> {named|called|by the name of} <N>|<full> who is called <N>}
my <hero> is {called|named} <N>. {write|tell|make} a story about {it|<N>}
{tell|write|give} me a [short] story about <full> {named|called} <N>
a story about <full> {named|called} <N>
a story about <N> the <hero>
{tell me|write} a [short] story about <N> the <hero>
can you tell me a story about <full> {named|called} <N>
tell me a story about <full>. {the name is|its name is|call it|name it} <N>
story about <N>, <full>
i have a <hero> {called|named} <N>, tell me a story about {it|<N>}
""")
NAMED += lines("""
{please |}{tell|write|give|read|make up|invent|create} {me|us|my son|my kids|the children} {a|one|a short|a little|some} {story|tale|bedtime story|fairy tale} {about|with|of|starring|featuring} {<full> {named|called|by the name of|with the name|whose name is} <N>|a <hero>, <N>|the <hero> <N>|<N> the <hero>|<N>, the <hero>|<N>, <full>|<N>, who is <full>}[ please][ now][ tonight]
{i'd like|i want|i would like|we want|i need|can i have|could i get|may i have} a {story|tale|short story|bedtime story} {about|with|of} {<full> {named|called|by the name of|whose name is} <N>|<N> the <hero>|the <hero> <N>|<N>, <full>}[ please]
{the hero|the main character|my hero|the star} {is|should be} {<full>|the <hero>} {and the name is|and is called|called|named|with the name} <N>[. tell me the story|. go|. now the story please]
{the <hero>|my <hero>|our <hero>|our hero|the hero} {is called|is named|has the name|goes by the name of|answers to} <N>[. now tell the story|. tell me a story|. a story please]
{hero|character|story about|a story, please|next story|bedtime story}: {<N> the <hero>|<N>, <full>|<full> named <N>|<full> called <N>}
{do you know|have you got|is there} {a|any} {story|tale} {about|of} {<N> the <hero>|<full> {named|called} <N>}
{what happened to|tell me what happened to|what about} {<N> the <hero>|<full> called <N>|the <hero> <N>}[ in a story| one day]
{make|let} {<full>|the <hero>} {named|called} <N> {be |}the hero of {a|your|the} story
{story|tale|fairy tale|bedtime story} {about|with|of|for} {<full> {named|called} <N>|<N> the <hero>}[ please]
{my {son|daughter|kid|niece|little boy}|our child} {wants|would like|asks for} a story about {<full> {named|called} <N>|<N> the <hero>}
{a day|an adventure|a night} {with|in the life of} <N> the <hero>
""")
NAME_ONLY = lines("""
{please |}{tell|write|give|read|make up|invent} {me|us} {a|one|a short|a little|another} {story|tale|bedtime story|fairy tale} {about|with|of|starring|featuring} {<N>|somebody called <N>|someone named <N>|a hero {named|called} <N>|a character called <N>}[ please][ now][ tonight]
{can|could|would|will} you {please |}{tell|write|invent|make up} {me |}a {story|tale|short story} {about|with} {<N>|someone called <N>|a hero named <N>}
{i'd like|i want|we want|i need} a {story|tale|bedtime story} {about|with|of} <N>[ please]
{the adventures of|the tale of|the story of|a story about|story about|a tale about|a bedtime story about|a short story with} <N>[ please]
{the hero|the main character|my hero|your hero} {is|should be|is called|is named|must be called} <N>[. tell me the story|. go|. now the story please|, tell a story]
{hero|name of the hero|main character|story|name}: <N>
{do you know|have you got|is there} a {story|tale} {about|of} <N>
call the hero <N>{ and tell me a story|. tell me a story|, please tell a story}
{use|take} the name <N> {in|for} {a|your} story
{tell me about|what happened to|i want to hear about} <N> in a story
a story{, please,| please| now} {about|with|for} <N>
""")
OPEN_PROMPTS = lines("""
tell me a story
{tell me|give me|write|i want|i'd like} a [short|little|nice|funny|bedtime] story{ please||}
{can|could} you tell me a story
{do you know|have you got|know} {any|some|a few} stories
a {bedtime|short|little} story{ please|}
story {please|time}
story
make up a story
tell {us|me} {something nice|a tale|a fairy tale}
i am bored, tell me a story
{tell|read} me a bedtime story
surprise me with a story
""")
OPEN_PROMPTS += lines("""
{could|can|would|will} you {tell|read|invent|make up|write} {me|us} {a|some|any} {story|tale|fairy tale|bedtime story|little story|nice story}[ please][ about anything][ of your choice][ with any hero]
{i|we} {want|need|would like|would love} {a|some|to hear a|any} {story|tale|fairy tale|bedtime story}[ now][ please][ about anything]
{let's|let us|let me|may i|can i|can we} {have|hear|get} {a|some|your best} {story|tale|fairy tale|bedtime story}[ please]
{what|which} {story|stories} {do you have|can you tell|have you got|do you know}[ for me]
{any|a random|whatever} {story|hero} {will do|is fine|is ok|you like}[ please]
{is there|have you got|do you have} {a|any} {story|tale|bedtime story} for {me|us|tonight|the kids|my daughter}
{it's|it is} {bedtime|story time|late}[, tell me something][. a story please][, please tell a story]
""")
AGAIN = lines("""
{more|some more} {stories|please|of that|of this}
{could|can|may|will} {i|we|you} {hear|have|get|tell|do} {another|one more|a new|a second|a different}{| one| story| tale}[ please]
{i|we} {want|would like|need} {another|one more|more|a second|a different|a new} {story|one|tale}[ please]
{and|now|ok|okay|great|nice|lovely|good}[,] {another|one more|the next|again}{| one| story}[ please]
another one{ please||}
another story{ please||}
tell me another [one|story]
{one more|again|more}{ please|}
{can i|could i} have another {one|story}
one more story
that was {nice|good|lovely|fun}, another one
i {like|liked|loved} it, {tell me|give me} another
{next|next one|next story}
do another
""")
INSTEAD = lines("""
{and|now|next|then|great, now|nice, now|good, and now|thanks, now}[,] {a story|one|another|a tale|the same|tell me one|do one|write one|tell me a story} {about|with|of|starring} <full>[ please]
{could|can|would} you {tell|do|write|make} {one|another one|a story|a new one} {about|with} <full>
{i|we} {want|would like} {one|a story|another one} {about|with} <full>[ now][ next]
{now|next} {the hero is|the hero should be|the main character is|take} <full>
now {one |a story |}{about|with} <full>
and {one |now one |}about <full>
{can you do|do|tell me} one about <full>
{now|next} about <full>{ please|}
what about <full>
another one, {about|with} <full>
{the same|another one} with <full>
make it about <full> {instead|this time}
""")


def tell(g, hero, short=False):
    values = hero.values()
    place = g.pick(hero.places)
    friend = g.pick([f for f in FRIENDS if f != hero.noun])
    helper = g.pick([h for h in HELPERS if not h.endswith(hero.noun)])
    adjective = g.pick(L.SURFACE)
    values.update(place=place.split(" of ")[0].split(" in ")[0], where=place if g.chance(0.4) or " " in place else adjective + " " + place,
                  item=g.pick(ITEMS), spot=g.pick(SPOTS), skill=g.pick(SKILLS), food=g.pick(FOODS), wish=g.pick(WISHES),
                  friend=friend, a_friend=article(friend), A_friend=article(friend).capitalize(),
                  helper=helper, a_helper=article(helper), A_helper=article(helper).capitalize())
    values["where"] = values["where"].replace("  ", " ")
    opening = g(OPENINGS, **values).replace(" a old ", " an old ")
    plot = g.pick(PLOTS)
    steps = list(range(len(plot)))
    parts = [opening] + [g(plot[i], **values) for i in steps]
    if not short and g.chance(0.35):
        parts.append(g(CLOSINGS, **values))
    return " ".join(parts)


def ask(g, hero):
    return g({"": PROMPTS, "noun": NAMED, "name only": NAME_ONLY}[hero.asked], **hero.values())
