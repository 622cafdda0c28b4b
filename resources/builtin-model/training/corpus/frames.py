"""Question templates (frames) for an action ("switch the model"), a thing ("tok/s"), a feature ("a dark mode") or a trouble ("my disk
is full"), and synonyms."""
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

HOW += lines("""
what's the {trick|secret|procedure|recipe|method|shortcut} {to <act>|for <ing>}
{in what way|by what means|where in the window|on which page|with which key|with what command} {can|do|could} i <act>
i'd {love|be glad|be happy} to <act>[, but i don't know how|. is that possible|, how|. where]
is there {a page|a setting|a place|an option|something} {to <act>|for <ing>|where i can <act>}
{would|could} it be possible {for me |}to <act>
{what|which} {setting|page|menu|option|button} {lets me|is for|do i need to|would i use to} <act>
{how|where} {is it|would i be|am i} {done|able|supposed} to <act>
{guide|walk|talk} me through <ing>
{i've been trying|i have tried for an hour} to <act>[, no luck|, help|. what is wrong]
{the manual does not say|nobody told me|i could not find|please remind me} how to <act>
{quick|simple|stupid|silly} question{:|,} how {do|can} i <act>
{what|which steps} {would|do} you {recommend|suggest} to <act>
{next|then|first|finally|today}, i {want|need|have} to <act>
{assume|imagine|say} {somebody|my grandmother|a beginner} {wants|needs} to <act>[, what should they do|. how]
{could|can|may} {one|we|people|anybody|a user} <act>{| here| in this app| with this program}
{does|will|would} {this app|the program|it|this} {let|allow|help} {me|one|you} {to |}<act>
{what if|and if} i {ever |just |only |}{want|need} to <act>
{hints|tips|advice|instructions|directions} {for|on} <ing>[ please]
{i am looking|i'm looking} for {a way|the way|the button|the place} to <act>
{to <act>|when i want to <act>|in order to <act>}[,] {what do i do|where do i go|what do i press|which page is it|how do i start}
""")
WHAT += lines("""
{what|which thing} {on earth |exactly |actually |}{is|are} <x>{| about| for| good for| all about| used for}
{could|can|would} {somebody|someone|you} {please |}{explain|tell me|clarify} <x>
{what|how much} {should|must|do} i {know|understand} about <x>
{i've no idea|i have no clue|i never learned|i keep forgetting|remind me} what <x> {is|means|are}
{give me|i need|i want} {a definition|an explanation|the meaning} of <x>[ please]
{the word|the term|the expression|the name} <x>{: what is it|, what does it mean| means what| is new to me}
{what|where} does <x> {come from|do|help with|tell|serve for|refer to}
{when|why|where} {do|would|should} i {need|use|look at|care about} <x>
{there is|i noticed|i discovered|i found} {something called |}<x>[. what is it|, what does it do|. explain please|, why]
{for a beginner|in plain words|for dummies|shortly|to put it simply}[:|,] {what is |}<x>
<x>{?| please| explained|, explain| means| is what}
what {role|part} does <x> play
{my colleague|a friend|an article|somebody} {talks about|mentioned|wrote about} <x>[. what is that|, what is meant]
""")
HAVE = lines("""
{is|isn't} there <x>[ here| in minerva| in this app| somewhere]
{does|doesn't} {minerva|this app|it|the program|this} {have|offer|come with|include|support|know|contain} <x>
{do|don't} you have <x>
{where|in which menu|on which page} {is|do i find|can i find|could i find|would i find} <x>
{i am|i'm} {looking for|searching for|missing|in need of} <x>
{i miss|i need|i want|i'd like|i would like|give me|show me} <x>[ please]
{can|could|may} i {have|get|use|find} <x>[ here| in minerva]
{will there be|has it got|has minerva got|is it possible to have|any chance of} <x>
{what about|how about} <x>
{other programs have|my old app had|in other apps there is} <x>[. does minerva have it|, and minerva|. where is it here]
{how do i|how can i|how does one} {use|find|get|open|turn on} <x>
{i can't|i cannot|i could not} {find|see|spot} <x>
<x>
""")
TROUBLE = lines("""
<x>
<x>
<x>[. what can i do|. what do i do|, what now|. help|, help me|. what then|. why|. any idea|. what should i do|. is that normal]
{help|oh no|oops|hm|sorry|hi|hello|please help|damn}[,|!] <x>[. what can i do|. what now]
{what|what can i do|what do i do|what happens|what should i do} {if|when} <x>
{i have a problem|there is a problem|a problem|one more problem|my problem is this}: <x>
{it seems|i think|i believe|i am afraid|i'm afraid} <x>[. what can be done|. what now]
{suppose|what if|let us say} <x>[. what then|, what do i do]
{why is it that|how come} <x>
{since today|again|now|suddenly|yesterday}[,] <x>[. what can i do|. help]
<x>[, can that be changed|. can i change that|. how do i fix it|, how do i fix this|, can you help]
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
THESAURUS = """
delete remove erase wipe discard scrap trash bin ditch dump throw-out throw-away chuck-out get-rid-of do-away-with clear-out
remove delete erase take-out take-away get-rid-of throw-out ditch drop
restore recover retrieve rescue bring-back get-back undo undelete reclaim salvage
find locate spot discover track-down dig-out come-across look-up hunt-down get-hold-of
get obtain acquire fetch grab pick-up lay-hands-on come-by receive have procure
download fetch get grab pick-up load-down obtain
choose pick select opt-for decide-on go-for take
change alter modify adjust edit switch swap amend vary tweak
set adjust choose define specify enter put-in
switch change swap move hop jump go toggle
compare contrast test measure match rate weigh put-side-by-side
measure gauge clock test time determine check
make create produce build craft generate set-up
stop halt interrupt cancel end abort break-off cut-short silence shut-up quit
continue go-on-with proceed-with carry-on-with resume keep-on-with finish
hide conceal put-away close collapse fold-away remove get-rid-of
show display reveal present bring-up
see view look-at inspect check look-up watch examine glance-at
open load launch start bring-up call-up
write type compose pen note draft jot-down
send submit dispatch post fire-off deliver transmit
copy duplicate grab take lift
export save hand-over back-up store share
import bring-in bring-over carry-over transfer take-over move load
rename retitle relabel
search look-through scan comb
sort organise arrange order tidy group file structure
limit cap restrict curb throttle tame reduce bound
lower reduce decrease cut turn-down bring-down
free release give-back empty clear unload
update upgrade renew refresh
convert turn transform translate change
shrink reduce compress squeeze downsize
understand grasp follow comprehend make-sense-of
explain describe clarify spell-out shed-light-on tell-me-about
know learn tell find-out discover
want wish need desire would-like fancy prefer care hope long
need require want must-have
help assist aid support give-a-hand
disable deactivate stop switch-off
keep hold retain store save preserve leave
lose miss forfeit forget
happens occurs goes-on takes-place
lost gone vanished missing wiped erased disappeared
gone lost vanished missing away
kept saved preserved stored safe retained
slow sluggish crawling lazy snail-like
fast quick rapid speedy swift snappy brisk
faster quicker speedier snappier swifter
bigger larger stronger smarter brainier more-powerful mightier cleverer beefier
better stronger smarter superior cleverer finer more-capable
smarter cleverer brainier wiser brighter more-intelligent
big large huge hefty massive sizeable enormous heavy
small little tiny mini wee petite puny modest
bad poor lousy weak terrible awful rubbish useless
good fine decent nice great suitable proper solid
wrong incorrect false mistaken
old former previous earlier past
new fresh another recent
model llm language-model ai network brain
models llms language-models ais brains
window screen interface display app
computer machine laptop notebook desktop box rig
laptop notebook computer machine pc
chat conversation talk discussion dialogue thread
conversation chat talk discussion dialogue thread
conversations chats talks discussions threads dialogues
chats conversations talks discussions threads
message text question note line post
messages texts questions lines words
answer reply response output text
answers replies responses outputs texts
reply answer response output
replies answers responses
question query request prompt
text wording words writing lines
files documents data
disk drive ssd hard-disk storage hard-drive
internet net web network
network internet net web connection
key shortcut button hotkey
keys shortcuts hotkeys buttons
button knob control icon
settings options preferences configuration
setting option switch preference knob
list column sidebar overview
panel sidebar figures statistics readout
figures numbers values statistics
speed pace velocity tempo rate
picture image photo screenshot drawing graphic
pictures images photos screenshots
draft unsent-text half-written-message unfinished-message
drafts unsent-texts unfinished-messages
mistake error typo slip blunder accident
title name heading caption
licence license terms
version release edition
friend pal mate colleague buddy
somebody someone anybody a-person
place spot location
way method trick manner procedure means
page screen tab section view
dark black night dim
bright light white glaring
letters text font characters writing
possible feasible doable
private secret confidential personal
enough sufficient adequate
quickly fast swiftly rapidly
yesterday last-night the-other-day last-week
really truly actually honestly
story tale yarn bedtime-story
talk speak chat converse
"""
for _line in lines(THESAURUS):
    _word, *_others = _line.split()
    SYNONYMS[_word] = " ".join([SYNONYMS.get(_word, _word), *_others])
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
