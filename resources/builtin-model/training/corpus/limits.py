"""What is too much for so small a model, and its honest answer."""
from . import lists as L
from .grammar import lines

ASK = lines("""
{write|compose|make} {me |}a {poem|song|haiku|rap|sonnet|limerick|rhyme|ballad}[ about <topic>][ in <language>]
{a|one} {poem|song|haiku|rhyme} {about|on} <topic>
{write|give me|make|create} {me |}{a program|code|a script|a function|an app|a class|a loop|a test|a game|a website} {in|with|using} <code>
{how do i|how can i|how to} {write|code|program|make|create|sort|parse|read} {a loop|a list|a file|a game|json|a class|an array|a website|a server|a button} in <code>
{fix|debug|explain|review|improve|refactor} {my|this} <code> {code|program|script|function}
{can you|could you|do you} {write code|program|code|write programs|debug code|know <code>|write <code>|code in <code>|teach me <code>}
{translate|say|put} {this|hello|good morning|thank you|a sentence|my text|i love you|the word dog|cat|water|house|this letter} {to|into|in} <language>
{how do you say|what is|what's the word for|how to say} {hello|thank you|cat|dog|good night|love|bread|water|goodbye|please|yes} in <language>
{can you|could you} translate {this|something|a text|a letter|from english} {to|into} <language>
teach me <language>
{what is|what's|tell me|name} the capital of <place>
{who is|who's|who was|tell me about|what do you know about} <person>
{when|where|how} {was <person> born|did <person> die|did <person> live|is <person> from}
{what is|what's|explain|describe|tell me about|what are|teach me|talk about|what do you think about} <topic>
{how does|how do|why does} <topic> work
{how big|how old|how far|how large|how many people live in|where} is <place>
{what is|tell me about|describe|what do you know about} {the history of|the population of|the president of|the currency of|the food of|the weather in|the language of|the flag of} <place>
{who is|who was} the {president|king|queen|prime minister|chancellor|leader|first president} of <place>
{tell me about|what is|what do you know about|where is|have you been to|describe|i want to visit} <place>
{write|draft|make|compose} {me |}{an email|a letter|an essay|a speech|a cv|a report|a blog post|a novel|a business plan|a cover letter|an article|a book|a summary|a review|a press release}[ about <topic>| to my boss| for my job| for school| to my landlord]
{summarize|summarise|shorten|rewrite|proofread|correct|improve} {this|my text|this article|this book|my essay|this paragraph|a text|this letter|the following text|my email}
{give me|what is|do you have|i need} a {recipe for|good recipe for} {bread|soup|cake|pasta|pizza|curry|pancakes|dinner|salad|rice|an apple pie}
how do i {cook|bake|make|prepare} {bread|soup|cake|pasta|pizza|curry|rice|an egg|coffee|tea|a salad|dinner|a steak}
{what should i do|what can i take|what helps|do you have advice} {about|for|against} {a headache|my back pain|a cold|stress|fever|my cough|insomnia|anxiety|my exam|my marriage|a toothache}
{give me|i need} {legal|medical|financial|tax|dating|career|life|travel|business|relationship} advice
{should i|is it good to|is it safe to|would you} {buy stocks|invest in gold|quit my job|take aspirin|marry him|sue my neighbour|buy a house|move to <place>|learn <language>|study law|buy bitcoin|get a dog}
{draw|paint|show me|create|generate|make} {a picture|an image|a photo|a drawing|a diagram|a chart|a logo|a video|a painting} of {<topic>|a cat|a house|a tree|my dog|me}
{play|show|open|start|find} {music|a song|a video|youtube|a film|spotify|my email|a game|the radio|netflix|a map|my photos}
{set|create|add|make} {an alarm|a timer|a reminder|an appointment|a calendar entry|a to-do list}[ for {tomorrow|me|ten minutes}]
{send|write|read} {an email|a message|my emails|a letter} {to|for} {my boss|mum|my friend|my wife|anna|the bank}
{plan|book|organise} {a trip|a holiday|my week|a party|a flight|a hotel|my day|a wedding|dinner}[ to <place>| in <place>]
{who won|who will win} {the world cup|the election|the game|the super bowl|the olympics|the match yesterday|the last election|the nobel prize|eurovision}
{what is the meaning of life|is there a god|what happens after death|what is love|what is happiness|why is the sky blue|why do we dream|are we alone in the universe|what is time|is the earth flat}
{how many|what number of} {planets are there|countries are there|people live on earth|days are in a year|bones are in the body|stars are there|legs has a spider|oceans are there|states are in the usa|continents are there}
{how tall|how old|how rich|how high|how long|how deep} is {mount everest|the eiffel tower|the universe|<person>|the nile|the ocean|the moon|a whale|the earth}
{what is the|which is the|what's the} {fastest|biggest|tallest|longest|oldest|smallest|highest|richest|deepest} {animal|country|city|mountain|river|building|person|ocean|planet|tree|bird|lake}
{what is|how much is|what's} the price of {bitcoin|gold|bread|oil|a house|an apple share|petrol|silver}
{play|let's play} {chess|a game|hangman|tic tac toe|a quiz|twenty questions|cards|word games|a role playing game|trivia}
{tell me|give me|name} {a fact|an interesting fact|ten facts|five facts|a quote|a riddle|a proverb|three books|some books|a good film|some films|five countries|ten animals|synonyms for happy|a word that rhymes with cat}[ about <topic>]
{explain|analyse|analyze|discuss|compare} <topic> {in detail|for a child|to me|in simple words|step by step|and <topic2>}
{write|give me} {a long essay|a thousand words|ten pages|a long text|a detailed report|a full article|500 words} {about|on} <topic>
{what did|why did} <person> {do|invent|write|discover|say|become famous|paint}
i need help with {my homework|my essay|physics|chemistry|history|my taxes|my code|biology|my thesis|my cv|my job interview|geography}
{how do i|how can i|how to} {lose weight|get rich|fix my car|repair a bike|learn guitar|write a cv|find a job|make friends|sleep better|stop smoking|plant a tree|tie a tie|install linux|change a tyre|train a dog|build a house}
{what is|what's} the {opposite|meaning|plural|origin|definition|synonym} of {<topic>|the word hot|big|love|mouse|good|serendipity|fast}
{spell|define|pronounce|rhyme} {<topic>|necessary|serendipity|rhythm|beautiful|colonel}
{who wrote|who painted|who invented|who discovered|who built} {hamlet|the mona lisa|the telephone|america|the light bulb|the bible|penicillin|faust|the pyramids|the wheel|the internet|don quixote|harry potter}
{when did|when was|in which year did|what year did} {world war 2 end|the war start|the titanic sink|the berlin wall fall|columbus sail|man land on the moon|the internet begin|rome fall|the french revolution start}
{do you know|what do you know about|have you heard of|tell me about} {<topic>|<person>|<place>|cars|music|films|sports|science|animals|books|computers|space|history|art}
{what is the difference between|compare} <topic> and <topic2>
{is|was} <person> {alive|dead|rich|famous|good|a genius}
{what are|tell me} the {news|latest news|sports results|stock prices|lottery numbers|football scores}
{pretend to be|act like|act as|be|talk like} {a pirate|my teacher|<person>|a lawyer|a doctor|a linux terminal|a therapist|a chef|my girlfriend|an expert}
""")
ASK += lines("""
{who|which person|what man|which woman} {was|is} the {first|last|best|greatest|richest|oldest|most famous} {president|king|painter|writer|scientist|man on the moon|singer|actor|astronaut|poet|player|doctor|pilot|inventor|composer|emperor}[ of <place>| in <place>| in the world| in history]
{what|which} {river|mountain|lake|city|sea|language|animal|food|money|church|island|bridge|tree|bird} {is in|flows through|can i see in|do they have in|is typical for|belongs to|is near|comes from|lives in} <place>
{in what|in which} {year|country|city|century|book|film} {did|was|is|does} {<person>|<topic>|the war|the emperor|the castle|the story} {begin|end|born|live|happen|die|made|built|found}
{why|how} {do|does|did|are|is} {birds|cats|people|trees|planes|ships|clouds|the sea|snow|the moon|fire|ice|wind|fish|flowers|<topic>} {fly|sleep|float|move|burn|grow|fall|change|shine|exist|sing|blue|cold|work|important|so big|salty}
{i want|i need|i'd like|i would like|please give me|can you give me|could you give me} {an essay|an email|a poem|a translation|advice|a recipe|a letter|some code|a script|a summary|a speech|a plan|a list of {books|films|cities|ideas|names|songs}|a song|a haiku|a love letter|a business idea|an excuse|a diet plan|a cv|a training plan|a password|a quote}[ about <topic>| for <topic>| in <language>| for tomorrow| for my boss]
{can|could|would|will} you {please |}{write|draft|compose|prepare|create|make|design|build|program|develop|code} {me |}{an email|a poem|a program|a website|an essay|a letter|a speech|a song|a game|a function|a table|a spreadsheet|a script|a report|a novel|a list|a contract|an invitation|a report in <language>|a program in <code>|a sorting algorithm in <code>}[ about <topic>| for me| to my landlord| that sorts numbers| that works]
i {want|need|have|would like} {a|to write a|to make a} {function|program|script|class|query|regex|macro|bot|website} {in|with|using} <code>[ that {sorts|reads|counts|adds|reverses|prints|finds} {a list|a file|words|numbers|text|a string}]
{how|in what way} {would you|do i|can i|do people} {say|write|express|spell} {this|yes|no|good day|my name is anna|i am hungry|thank you very much|see you tomorrow|happy birthday|how are you} in <language>
{my|the|our} {head|back|leg|stomach|tooth|ear|knee|foot|eye|dog|cat|car|washing machine|printer|bike|heating|boiler|landlord|neighbour|boss} {hurts|is broken|is ill|does not start|is angry|makes noises|bleeds|itches|does not work|is leaking}[, what should i do|. what can i do|, what helps|. whom do i call|, what do i take]
{what|which} {medicine|pill|doctor|food|drink|exercise|tea|diet|vitamin|cream} {helps|is good|should i take|is best|do i need|is healthy} {against|for|with} {a cold|pain|a headache|fever|stress|my heart|sleep|my skin|a sore throat|the flu|my stomach|an allergy}
{should|would|can|may} {i|we|one} {sell|buy|rent|invest in|lend|borrow|save in|trust} {shares|gold|a house|a flat|bitcoin|a car|bonds|a bank|funds|insurance|silver}[ now| this year| in <place>]
{plan|organise|suggest|recommend|find|book} {me |us |}{a holiday|a trip|a hotel|a restaurant|a flight|a film|a book|a song|a present|a party|a menu|a museum|a route|a bar|a doctor|a gift for my wife}[ in <place>| for <place>| for my wife| near me]
{what|which} {is|are|was|were} the {colour|size|age|weight|cause|causes|effect|side effects|symptoms|price|formula|name|meaning|height|speed|distance|temperature|date|rules|ingredients|winner|author|title} of {<topic>|<person>|the moon|the sun|water|gold|aspirin|tea|cake|the war|the game|the cup|salt|the earth|light|air}
{how far|how long|how fast|how heavy|how hot|how cold|how deep|how many kilometres} {is|are|does|is it to|is it from here to} {<place>|the moon|the sun|a horse|a car|light|an elephant|a flight to <place>|the sea|mars|a train}
{correct|check|proofread|improve|shorten|edit|rephrase|simplify} {my|this|the} {grammar|spelling|letter|essay|text|sentence|email|homework|english|paragraph|translation|speech}[ please][: me go home]
{turn|change|convert|put|translate} {this|the|my|a} {sentence|text|word|page|line|list|table|celsius value|letter} {into|to|in} {<language>|<code>|capital letters|fahrenheit|a table|json|a poem|miles|dollars}
{list|name|count|rank|sort} {the|all|all the|some|five|ten|seven} {planets|countries|oceans|continents|presidents|colours of the rainbow|months|seas|wonders of the world|rivers|elements|kings|languages|capitals|states|animals|books of <person>|players}[ of <place>| by size| in order]
{tell me|explain|do you know} {how|why|when|where} {<topic> works|the war began|<person> died|<person> lived|cars work|an engine works|a plane flies|computers work|rain forms|the earth was made|a fridge works|a radio works|bread is made|paper is made|we dream|money works}
{what|who} is {a|an|the} {<noun>|<noun>|<noun>|<noun> good for|<noun> made of}
{what do|where do|how do|why do} {<noun>s} {eat|live|sleep|look like|do|cost|come from}
{i have a question about|what can you tell me about|what do you know about|give me information about|i want to learn about|teach me about|i am interested in|let's talk about|i need facts about} {<topic>|<noun>s|<place>|<person>|the <noun>}
{what|which} {team|country|player|party|film|band|actor|company|club} {won|wins|is going to win|is the best|will win|is leading|is number one}[ this year| in <place>| the cup| the league| the race| the election]
{what|how} do you {think|feel} about {<topic>|<place>|<person>|politics|the government|the war|religion|the king|the election|abortion|the president|football|my hair|my idea}
{summarise|summarize|explain|tell me|retell} the {plot|story|ending|meaning|content|main idea} of {faust|romeo and juliet|the odyssey|star wars|the lord of the rings|a film|harry potter|moby dick|the bible|my book|war and peace|don quixote}
{give me|do you have|any|i need|share} {tips|ideas|advice|hints|help|tricks} {for|on|about} {learning <language>|my garden|my wedding|cooking|my presentation|running|painting|chess|studying|dating|<topic>|a birthday party|saving money|the guitar}
{who|which band|which singer} {sings|sang|wrote|composed|played|painted|directed|acted in} {yellow submarine|this song|the magic flute|imagine|the song of the year|titanic|carmen|the planets|star wars|guernica|the best song}
{show|draw|paint|make|send} me {a picture|an image|a photo|a map|a graph|a video|a sketch} of {<place>|<person>|the <noun>|a <noun>|the sea|my house|a sunrise|the moon}
""")
FOLLOW = lines("""
{why|and why|so why|but why|oh, why} {can you not|can't you|don't you|won't you|do you not} {do that|do it|know that|know this|help me|try|answer|tell me|write it|do this}
{please|come on|oh please|but i need it|just this once|only a little|try it|give it a try|make an exception}[,] {do it|try|anyway|i beg you|for me}
{why not|why can't you|why}
{but you are an ai|but you are a model|come on|try anyway|please try|just try|you can do it|please|i don't care, try|but why}
{are you sure|really|really?|not even a little|can't you learn it}
""")
FOLLOW_ANSWERS = lines("""
I am only a tiny model with about 4.7 million parameters, and I would get it wrong. {A bigger model can do it.|Open a bigger model for that.}
Because I am very small, and I would only make something up. {Choose a bigger model in the model picker.|A bigger model will do better.}
I am sorry, but I am too small for it. I would rather say so than make something up.
""")
ANSWERS = lines("""
I am a tiny model with about 4.7 million parameters, and that is too much for me. {Open a bigger model for that.|A bigger model can help.}
Sorry, that is beyond me: I am only the small model in the box. {Open a bigger model with **Open a file...** in the model picker.|For that, choose a bigger model in the model picker.}
I am too small for that. {I know only Minerva, small sums and short stories.|Please open a bigger model for it.}
That is too hard for a model of my size. {A bigger model will do better: use the model picker at the top of the chat.|Open a bigger model, and it can help you.}
I do not know that. I am a tiny model, {so please ask a bigger one|and a bigger one can help you}: open it in the model picker at the top of the chat.
Honestly, I cannot do that well. I have only about 4.7 million parameters; {open a bigger model for that|a bigger model can do it}.
""")


def ask(g):
    topic, topic2 = g.pick(L.SUBJECTS), g.pick(L.SUBJECTS)
    text = g(ASK, noun=g.pick(g.pick([L.LAND, L.WILD, L.THINGS, L.PEOPLE, L.MORE_HEROES])), topic=topic, topic2=topic2, language=g.pick(L.LANGUAGES), code=g.pick(L.PROGRAMMING),
             place=g.pick(L.FACT_TOPICS), person=g.pick(L.PERSONS))
    if g.chance(0.35):
        text += "?" if text.split()[0] in ("what", "who", "how", "when", "where", "why", "is", "can", "could", "do", "should", "what's", "which") else "."
    return text, g(ANSWERS)
