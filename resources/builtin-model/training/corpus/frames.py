"""Ways to ask: frames around an action ("switch the model") or a thing ("tok/s"), and words that stand for one another."""
import re

from .grammar import lines

HOW = lines("""
how {do|can|could|would|should|must} i <act>
how {does one|do you|do people|would one|can one} <act>
how to <act>
how is it possible to <act>
what {do i do|do i have to do|must i do|should i do|can i do|do i need|have i got to do|is there to do} to <act>
what {is|would be|'s} the {best|easiest|quickest|right|usual|normal|simplest} way {to <act>|of <ing>}
is there {a|any|some} {way|button|key|trick|menu|command|option|possibility} {to <act>|for <ing>|of <ing>}
i {want to|would like to|'d like to|need to|have to|wish to|must|would love to} <act>[, how][, what do i do][. how][. what now]
i am {trying to|about to} <act>[, how][, can you help][. what do i do]
{can|could|may} i <act>[ somehow| here| in minerva| with minerva]
{am i able|is it possible|is it allowed|is it hard|is it easy} to <act>
{can|could|would|will} you {show|tell|teach|explain to} me how {to|i can} <act>
{can|could|would} you help me {to |}<act>
{please |}{explain|show me|tell me|describe} how {to|i can|i} <act>
what are the steps {to <act>|for <ing>}
which {key|button|menu} {do i press|do i use|do i need|must i press|is it|should i use} to <act>
where {do i click|do i go|do i look|should i look|must i click} to <act>
where {can|do|could} i <act>
{do you know|any idea|tell me|i forgot|i don't know|i do not know|i can't find out|i cannot see|i have no idea} how to <act>
{explain|tell me about|what about|how does|help with|help me with} <ing>{| please| work}
{suppose|say|what if|imagine|let's say} i {want|wanted|need|like} to <act>[, what then][. how][, how]
my {friend|boss|mother|son|colleague|wife|teacher|neighbour} {wants|would like|needs} to <act>[, how][. what should i say]
{somebody|someone|a friend} {asked me|wants to know} how to <act>
{let me|i'll|i will|time to|now i want to|next i want to} <act>
is <ing> {possible|hard|difficult|easy|supported}
<act>
<ing>
i {tried|failed|was not able|did not manage} to <act>[. how does it work][. what did i miss][, help]
{what happens|what do i see} when i <act>
you said i can <act>, how
after that, how do i <act>
for {my work|a friend|later|a test} i {need|want} to <act>
{will|does|would} minerva let me <act>
""")
WHAT = lines("""
what {is|are|'s} <x>
what exactly is <x>
what {does|do} <x> {mean|stand for|tell me|say|show|tell you|tell us|measure}
what is {meant by|the meaning of|the idea of|the point of|the purpose of|the use of} <x>
{explain|describe|define|clarify} <x>[ to me][ please][ in simple words][ briefly]
{can|could|would|will} you {explain|define|describe|tell me about|say something about} <x>[ to me][ please][ for me]
{can|could} you tell me what <x> {is|means|are|says}
i {don't|do not|never} {understand|get|know} <x>
{i see|there is|i read|i found|it says} <x> {in the panel|there|here|on the screen|in the window|on the right|somewhere}[. what is it][, what is that][. what does it mean]
what is {that|this|the} <x> {thing|number|value|word|business}
tell me {about|more about|something about} <x>
{meaning of|definition of|about|info on} <x>
help me {understand|with} <x>
{do you know|i wonder|i want to know|i'd like to know|tell me|please tell me|i ask myself|nobody told me} what <x> {is|means|are}
{in short|in simple words|briefly|in one sentence|simply put}, what is <x>
what about <x>
and {what is |what about |}<x>
<x>
somebody {told me about|mentioned|asked me about} <x>[, what is it][. what is that]
{i keep reading|i have read|i heard|i've heard} about <x>[, what is it][. what is that][. what does it mean]
what should i know about <x>
{why is there|what's the deal with|what do i do with|how do i read|how should i read|how do i understand|how do i interpret} <x>
is <x> {important|good|bad|useful}
i am {confused|puzzled|curious} about <x>
""")

SYNONYMS = {
    "model": "model language-model llm ai-model model model model", "models": "models llms language-models models models models",
    "app": "app program application software tool", "program": "program app application software tool",
    "computer": "computer laptop pc machine notebook desktop", "pc": "pc computer laptop machine", "machine": "machine computer laptop",
    "answer": "answer reply response answer text", "answers": "answers replies responses", "conversation": "conversation chat talk discussion dialogue",
    "chat": "chat conversation talk", "chats": "chats conversations messages talks", "download": "download fetch grab get pull",
    "choose": "choose pick select", "select": "select choose pick", "pick": "pick choose select", "change": "change switch swap exchange",
    "switch": "switch change swap hop", "bigger": "bigger larger stronger smarter better", "better": "better stronger smarter more-capable bigger",
    "quick": "quick fast short", "fast": "fast quick speedy", "faster": "faster quicker speedier", "slow": "slow sluggish slow",
    "show": "show display give", "find": "find see get locate discover", "use": "use try work-with run employ", "see": "see view look-at find",
    "file": "file file document", "folder": "folder directory folder", "open": "open load open start", "load": "load open start",
    "private": "private safe secret secure confidential", "internet": "internet net web network", "network": "network internet connection wifi",
    "gpu": "gpu graphics-card graphics-chip video-card gpu", "cpu": "cpu processor cpu", "key": "key shortcut key button",
    "hide": "hide close remove hide get-rid-of", "stop": "stop halt interrupt end cancel", "send": "send submit post send",
    "small": "small little tiny mini", "tiny": "tiny small little", "big": "big large huge", "write": "write make create write",
    "window": "window screen app window", "numbers": "numbers figures values statistics", "numbers.": "figures.", "explain": "explain describe clarify explain",
    "hello": "hello hi hey hello", "story": "story tale story story", "help": "help assist help", "talk": "talk speak chat", "talking": "talking speaking chatting",
    "made": "made created built trained", "memory": "memory ram memory", "question": "question request question", "new": "new fresh new another",
    "want": "want wish need would-like", "need": "need require want", "get": "get obtain have get", "start": "start begin launch", "fix": "fix repair",
    "explain,": "explain,", "today": "today now today this-morning tonight", "really": "really truly actually", "settings": "settings options preferences settings",
    "text": "text text message", "message": "message text question message", "messages": "messages texts words things-i-type",
    "offline": "offline offline without-network", "local": "local offline local", "work": "work run function work", "speed": "speed pace speed",
    "compare": "compare compare measure test contrast", "two": "two two both several", "data": "data information texts data",
}
DOUBLE = {"stop", "get", "run", "swap", "begin", "put", "cut", "set", "submit", "let"}


def ing(act):
    word, _, rest = act.partition(" ")
    if word in DOUBLE:
        word += word[-1] + "ing"
    elif word.endswith("e") and not word.endswith("ee"):
        word = word[:-1] + "ing"
    else:
        word += "ing"
    return word + (" " + rest if rest else "")


def swap_words(rng, text, p):
    def one(m):
        w = m.group(0)
        options = SYNONYMS.get(w)
        return rng.choice(options.split()).replace("-", " ") if options and rng.random() < p else w
    return re.sub(r"[a-z]+", one, text)
