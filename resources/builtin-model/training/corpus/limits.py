"""Requests that are beyond so small a model, and its honest answer."""
from . import lists as L
from .grammar import lines, words

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
WORKS = words("""Macbeth, Othello, Don Quixote, Dracula, Frankenstein, the Iliad, Ulysses, Emma, the Hobbit, Dune, the Matrix, Casablanca, Jaws, Psycho, Titanic,
Star Trek, the Simpsons, Aida, Fidelio, Bolero, Guernica, the Scream, the Nutcracker, Swan Lake, Hey Jude, Bohemian Rhapsody, Thriller, Animal Farm, the Little Prince,
Les Miserables, Robinson Crusoe, Treasure Island, Peter Pan, Pinocchio, Cinderella, the Decameron, the Koran, the Divine Comedy, Anna Karenina, the Trial""")
EVENTS = words("""the First World War, the Cold War, the moon landing, the Black Death, the Renaissance, the Reformation, the gold rush, the Thirty Years War, the Vietnam War,
the battle of Waterloo, the fall of Rome, the American Revolution, the Russian Revolution, the Great Depression, the Boston Tea Party, the Chernobyl accident, the Crusades,
the ice age, the stone age, the industrial revolution, the Spanish Armada, the last election, the oil crisis, Brexit, the Olympic Games, the World Cup, the Middle Ages""")
INVENTIONS = words("""the steam engine, the bicycle, the airplane, glass, gunpowder, the compass, the camera, television, radio, the computer, the mouse, the laser, the battery,
the sewing machine, the dishwasher, chewing gum, chocolate, coffee, pizza, jeans, the fork, the toilet, the umbrella, the calendar, money, the alphabet, writing, the piano,
the elevator, the microwave, velcro, plastic, dynamite, the thermometer, the telescope, the printing press, the refrigerator, the ballpoint pen, the parachute, football""")
FOODS = words("""pasta, pancakes, sushi, goulash, an omelette, apple pie, tomato soup, fried rice, a cheesecake, pumpkin soup, risotto, paella, bread rolls, scrambled eggs,
roast beef, mashed potatoes, a stew, tiramisu, jam, pickles, noodles, a burger, falafel, hummus, kimchi, dumplings, waffles, a birthday cake, gravy, a vegetarian lasagne""")
ILLS = words("""a sore throat, toothache, back pain, a burn, hay fever, a sprained ankle, migraine, a cough, a rash, hiccups, a mosquito bite, diabetes, flu, asthma, high blood pressure,
a broken finger, stomach ache, anaemia, stress, bad sleep, snoring, sunburn, dizziness, a nosebleed, an allergy, acne, cramp, a swollen knee, tired eyes, dry skin""")
CHORES = words("""unblock a sink, clean a window, remove a stain, paint a wall, iron a shirt, sharpen a knife, prune a rose, grow tomatoes, knit a scarf, sew a button, fold a shirt,
change a light bulb, bleed a radiator, jump-start a car, pump up a tyre, cut my hair, tie a bow tie, wrap a present, pack a suitcase, write a will, file my taxes, fix a leaking tap,
get rid of ants, get chewing gum out of hair, hang a picture, polish shoes, clean an oven, build a shelf, dry herbs, boil an egg, make candles, start a fire, find north,
read a map, learn to swim, get fit, save money, ask for a raise, say sorry, make friends, meet people, calm a baby, teach a dog to sit, catch a mouse, keep bees, fly a kite""")
SUBSTANCES = words("""iron, gold, copper, helium, oxygen, water, salt, sugar, glass, steel, plastic, wood, milk, honey, oil, petrol, concrete, rubber, silk, wool, cotton, paper, ice, sand,
lead, mercury, uranium, diamond, silver, carbon, nitrogen, vinegar, alcohol, caffeine, tea, coffee, butter, cheese, flour, yeast""")
BODIES = words("the heart, the liver, the brain, the skin, the lungs, the kidneys, the eye, the ear, the stomach, the spine, bones, muscles, teeth, hair, nails, blood, nerves, the immune system, the tongue, the knee")
ACTIVITIES = words("""skiing, sailing, judo, ballet, golf, rugby, cricket, baseball, climbing, surfing, fishing, photography, origami, chess, poker, bridge, crosswords, sudoku, knitting, pottery,
dancing, singing, the violin, the guitar, drums, the flute, karate, boxing, hiking, camping, cycling, running, rowing, archery, fencing, juggling, magic tricks, calligraphy""")
ASK += lines("""
{who|which man|which woman|what person} {wrote|composed|painted|directed|published|translated|played the lead in|starred in} <work>
{what|who} {is|was|are} {the main character of|the author of|the plot of|the villain in|the moral of|the ending of|the best line of} <work>
{have you|did you} {read|seen|heard|watched} <work>[. what is it about|, is it good]
{what is|what's|tell me what} <work> {about|all about}[ please]
{when|in which year|in what century|how long ago} {was|did} <event>{| begin| end| start| take place| happen}
{what|who} {caused|started|ended|won|lost|triggered|followed} <event>
{what happened|what went on|what changed} {in|during|after|before|because of} {<event>|<year>|the year <year>|the nineties|the sixties|the last century|may <year>}
{who|which team|which country|what film|which horse|which party} {won|lost|hosted|led|came second in|got the prize in} {<year>|the cup in <year>|the final|the election of <year>|the race in <year>|the league last year}
{tell me|what do you know} {something |anything |more |}about {<event>|<invention>|<work>|<body>|<substance>|<activity>}
{who|where|when|how} {invented|discovered|was|did they invent|did people make} <invention>{| invented| first made}
{how|in what way} {does|do} {<body>|<invention>} {work|function|grow|heal|develop}
{what|which} {does|do} <body> {do|need|look like|consist of|weigh}
{what|why} is <substance> {made of|used for|worth|so expensive|good for|so hard|so light|called that|dangerous|healthy}
{where|from where|how} {does|do} <substance> {come from|form|get made|melt|rust|burn|dissolve|conduct heat}
{what is|what's} the {symbol|formula|density|melting point|boiling point|price|colour|weight|atomic number} of <substance>
{at what temperature|when|why} does <substance> {melt|boil|freeze|burn|rust|break}
{how|what's the best way to|what is the trick to|can you tell me how to|i'd like to know how to|is there a way to|i want to|help me} {do i |}<chore>
how {do i|can i|should i|does one|would you} <chore>
{any|give me some|i need some|do you have} {tips|advice|hints|ideas|help} {to|on how to} <chore>
{how|can you tell me how|teach me how} {do i|to|can i} {cook|make|prepare|bake|serve|freeze} <food>
{what|which ingredients} {do i need|go in|goes|belongs|is needed} {for|into} <food>
{a recipe|the recipe|a simple recipe|your best recipe|ingredients} for <food>[ please]
{is|are} <food> {healthy|fattening|good for me|hard to make|vegan|italian|better than pizza|spicy}
{what helps|what can i do|what should i take|is there a remedy|do you have advice|what is good|whom do i ask} {against|for|about|with} <ill>
{i have|i've got|my son has|my wife has|my mother suffers from|she complains of} <ill>[. what should i do|, what now|. is that bad|. what helps|. do i need a doctor|, any advice]
{is|can} <ill> {dangerous|be cured|contagious|go away|a bad sign|serious|common}
{what|how} {causes|do people get|can i prevent|do i treat|do doctors treat} <ill>
{my|the|her|his} {arm|knee|shoulder|neck|finger|foot|eye|wrist|hip|toe|throat|chest|ear} {hurts|aches|is swollen|itches|burns|feels numb|is red|went stiff}[ when i {run|walk|sleep|write|stand|eat}][. what is it|. what should i do|, any idea]
{how|where} {do i|can i|does one} {learn|begin with|get better at|practise|start with} <activity>
{what are|explain|tell me|do you know} the {rules|basics|dangers|benefits|history|origins|best players} of <activity>
{is|why is} <activity> {dangerous|expensive|good for me|an olympic sport|hard to learn|popular|fun}
{which|what} {is|are} the {best|biggest|oldest|newest|strangest|cheapest|most famous|longest|highest|largest|coldest|driest|deepest} {<noun>|river|lake|desert|island|volcano|church|museum|train|hotel|company|bank|university|word|film|novel|song|city|village|planet|tree|flower|dog|insect|mammal|bird}[ in <place>| on earth| in the world| ever| of all time| in <continent>]
name {the|a|me the|me a|one|me one|three} {longest|largest|highest|famous|dangerous|african|asian|european|american|typical|old|modern} {river|mountain|city|lake|painter|poet|dish|animal|bird|scientist|rivers|islands|writers|films|songs|dishes}[ in <continent>| of <place>]
what is the {capital|population|area|currency|flag|climate|anthem|national dish|longest river|highest mountain|official language|president|religion|time zone|dialling code} {of|in} <place>
{in|at|since|until} {what|which} {year|age|century|month|country|town|city} {did|was|is|does} <person> {born|die|live|become famous|win|retire|write that|marry|move|study}
{how many|how much} {children|wives|books|goals|prizes|songs|paintings|houses|years|films} {did|does|has|had} <person> {have|write|score|win|own|paint|make|live|got|made}
{how many|what number of} {moons|rings|bones|teeth|legs|strings|keys|players|states|islands|rivers|letters|colours|languages|people|cows|museums|stomachs|hearts|eyes} {has|have|does|are in|are there in|live in} {<place>|a <noun>|<continent>|a guitar|the alphabet|a football team|saturn|the world|a piano|a whale|the usa}
{how} {tall|old|fast|heavy|big|long|clever|dangerous|rare|loud|wide} {is|are|do|can} {a <noun>|<noun>s|the average man|the tallest man|<place>|a snail|sharks|the amazon|a blue whale}{| get| become| grow| run}
{do|can|are|why do|why are|where do|when do|how do} <noun>s {swim|fly|sleep|bite|dangerous|clever|extinct|hear|see at night|have teeth|lay eggs|live in <place>|eat grass|hunt|sing|need water|keep warm|build nests}
{what|which} {word|words} {rhymes|rhyme} with {<noun>|blue|time|night|love|house|silver|month|day|heart}
{what|give me} {is|another word for|a synonym for|the opposite of|the past tense of|the plural of|the spelling of} {<noun>|happy|to go|good|quickly|mouse|child|tired|cold|bright|to swim}
{is it|does it make sense|is it worth it|is it wise|is it a good idea|would it be clever} to {<chore>|learn <language>|move to <place>|study physics|buy a <noun>|eat <food>|learn <activity>|sell my house|take out a loan|rent a car|quit}
{what's|what is} {your|the best|a good} {opinion|view|advice|idea|argument} {on|about|for|against} {<topic>|<place>|<event>|<activity>|abortion|taxes|homework|school uniforms|electric cars|nuclear power|vegetarians|robots|marriage}
{suggest|recommend|propose|name|find} {me |us |}{a|some|a good|a nice} {film|book|song|restaurant|hotel|present|name for my cat|name for a baby|hobby|board game|podcast|perfume|wine|route|museum|series|colour for my room|topic for my essay}[ for {tonight|sunday|my father|two|a child|the holidays}][ in <place>]
{plan|organise|arrange|schedule|prepare} {a|my|our|the} {weekend|journey|trip|meeting|wedding|menu|workout|party|week|garden|budget|diet|lesson|honeymoon}[ in <place>| for two| for me| for ten people| for monday]
{write|compose|draft|create|invent|think up|make|give me|i need|can you do} {me |}{a|an|some} {limerick|poem|haiku|slogan|song|sonnet|rhyme|speech|toast|email|reply|complaint|invitation|advert|cover letter|essay|blog post|headline|tweet|riddle|password|crossword|dialogue|screenplay|contract|list of names|business letter|report}[ {about|for|on} {<topic>|<noun>s|a <noun>|my boss|my landlord|my grandmother|the bank|my shop|a wedding|<person>}]
{write|show me|i need|give me|can you make|produce|build|help me with} {a|some|the} {<code>} {script|function|program|class|loop|query|example|code|test|one-liner} {that|to|which|for} {renames files|sorts names|counts words|reads a csv|sends mail|draws a circle|sums a list|a website|a calculator|a game|finds primes|reverses a string|parses dates|downloads a page}
{what|why} {does|is} {this|my} {error|exception|bug|compiler message|stack trace} {mean|in <code>|about|happening}
{what is the difference between|which is better,|compare|choose between} {a <noun> and a <noun2>|<code> and <code2>|<place> and <place2>|<substance> and <substance2>|<activity> and <activity2>}
{put|translate|say|render|write} {this|'thank you'|'where is the station'|'i love you'|'good night'|'the bill please'|'happy birthday'|'how much is it'|'my name is anna'|the word {<noun>}|the following} {in|into|to} <language>
{what|how} {does|do you say|would one say|is} {<noun>|'good morning'|'please'|'sorry'|'cheers'|'one beer'} {mean in|in|called in|look like in} <language>
{proofread|correct|improve|summarise|shorten|translate|rewrite|check|explain} {this|the following|my}{:| text:| sentence:| letter:} {i has a <noun>|me go to school yesterday|the quick brown <noun>|dear sir or madam|they was late|he don't know|we is happy}
{summarise|summarize|retell|review|explain|analyse} {<work>|<event>|the bible|the news|this article|a book} {in three lines|in a few words|for me|in short|for school|briefly}
{convert|turn|change|format|sort|parse} {this|the|my|a} {list|table|text|file|date|number|name|sentence} {to|into|as|by} {json|xml|csv|roman numerals|a table|binary|upper case|bullet points|alphabetical order|morse code}
{play|let's play|start|can we play|do you want to play|teach me} {a round of |a game of |}{hangman|chess|tic-tac-toe|twenty questions|go|checkers|a quiz|poker|word chains|charades|battleships|<activity>}[ with me| together| now]
{set|make|put|book|order|call|send|turn on|turn off|switch off} {an alarm|a timer|a reminder|a table|a taxi|a pizza|my mother|an email|the light|the heating|the music|a text|the doctor}[ for {six|seven o'clock|tomorrow|ten minutes|tonight|two}][ please]
{what|who|which} {should|would|will|does} {i|we|one|people} {wear|eat|cook|vote for|study|read|watch|buy|visit|believe|do} {today|tonight|tomorrow|in <place>|next|for dinner|this weekend|at a wedding}
{is there|are there|was there|will there be} {life on mars|a god|aliens|ghosts|a cure for <ill>|a war|water on the moon|<noun>s in <place>|a train to <place>|a king of <place>|another ice age|an end of the universe}
{why|how come|how} {is|are|do|does} {the sky blue|the sea salty|grass green|we dream|people lie|time pass|leaves fall|ice float|the moon change|stars twinkle|cats purr|we yawn|onions make us cry|planes fly|magnets attract|it thunder|popcorn pop|bread rise|soap clean}
{quiz me|test me|teach me|tell me all|give me facts|give me three facts|fun fact} {about|on} {<topic>|<place>|<event>|<noun>s|<body>|<invention>|<person>}
{act|talk|answer|write|behave} {as|like} {a <noun>|<person>|a pirate|a doctor|my boss|yoda|a poet|a chef|a tour guide|a psychologist}
{describe|imagine|paint with words|picture} {a <noun>|<place>|the sea|a sunset|autumn|my room|the future|an alien world|a perfect day}
{what|how much} {does|do|is|are} {a <noun>|a flight to <place>|a bitcoin|a house in <place>|<substance>|a haircut|a stamp|rent in <place>} {cost|worth|weigh|sell for}
{<person>|<place>|<work>|<event>|<noun>s|<body>|<substance>|<activity>}{?| please| facts| history| explained| biography| in short|, tell me| wiki}
{who|what} {are|is|were} {the <noun2>s|<person>|the beatles|the inuit|the romans|a vikings|the founder of <place>|the owner of <work>|the head of <place>|the fastest man|the pope|the vikings|the aztecs}
{what|which} {foods|vitamins|animals|plants|colours|clothes|books|tools|trees|stones} {are|contain|have|do|should|need} {in <food>|<substance>|dangerous|healthy|good against <ill>|i eat|i avoid|poisonous|rare|in <place>|best for <ill>}
""")
CONTINENTS = words("Africa, Asia, Europe, South America, North America, Australia, Antarctica, the Alps, the Balkans, Scandinavia, the Caribbean, the tropics")
FOLLOW = lines("""
{why|and why|so why|but why|oh, why} {can you not|can't you|don't you|won't you|do you not} {do that|do it|know that|know this|help me|try|answer|tell me|write it|do this}
{please|come on|oh please|but i need it|just this once|only a little|try it|give it a try|make an exception}[,] {do it|try|anyway|i beg you|for me}
{why not|why can't you|why}
{but you are an ai|but you are a model|come on|try anyway|please try|just try|you can do it|please|i don't care, try|but why}
{are you sure|really|really?|not even a little|can't you learn it}
""")
FOLLOW_ANSWERS = lines("""
I am sorry, I am too small for it and would only make something up. {A bigger model can do it: look under **Models > Discover**.|Please get a bigger model under **Models > Discover**.}
""")
ANSWERS = lines("""
That is too much for a tiny model like me. {A bigger one can help: look under|For that, get a bigger one under|A bigger model knows more: find one under} **Models > Discover**.
""")
# Complete questions as people type them, without frames.
ASK += lines(r"""
write python code for a snake game
python script that renames all my photos by date
need a regex that matches email addresses
my javascript loop never ends, can you spot why: for(;;)
sql query to get the top ten customers
center a div with css
how do i reverse a linked list in c++
what does segmentation fault mean
explain pointers to me like i'm five
convert this bash script to powershell
excel formula to sum only the green cells
vlookup doesn't find my value, why
git says detached head, what do i do
how to undo the last commit
build me a small website for my bakery
html page with a contact form please
write unit tests for this function
rust borrow checker error e0502, explain
which programming language should a 12 year old start with
is java the same as javascript
docker compose file for wordpress
arduino sketch that blinks an led
write a cron line for every monday at 8
what's wrong with this code: print "hello"
fizzbuzz in haskell
who painted the starry night
who was the first woman in space
who wrote the brothers karamazov
who invented the zipper
who is the ceo of nvidia
who sang thriller
who played james bond before daniel craig
who discovered insulin
who was napoleon's wife
who is older, the pope or the king of england
capital of mongolia?
what's the capital of canada, toronto or ottawa
population of nigeria?
how many people live in tokyo
which country has the most lakes
longest river on earth?
is greenland a country
what language do they speak in brazil
currency of switzerland?
where is timbuktu
how far is it from paris to rome
how long does a flight from london to new york take
which states border texas
name all the countries in south america
are russia and alaska close to each other
how high is kilimanjaro
how deep is the mariana trench
distance from earth to mars?
how hot is the sun
why is pluto not a planet any more
what is a black hole made of
how do vaccines work
what is photosynthesis
difference between a virus and a bacterium
what does dna stand for
why do cats purr
how long do elephants live
do penguins have knees
can dogs eat grapes
why do onions make me cry
what is the boiling point of water on a mountain
how is glass produced
what's the chemical symbol for tin
newton's second law, please
theory of relativity in three sentences
explain quantum computing to a child
what was the cause of the first world war
when was the magna carta signed
when did the roman empire collapse
what year did the titanic go down
how did the cold war end
why did they build the great wall
tell me about the vikings
what happened in 1066
was cleopatra egyptian
how did mozart die
when was beethoven born
how old was einstein when he died
summary of hamlet please
what happens at the end of the great gatsby
main characters in pride and prejudice
is the lord of the rings one book or three
recommend a crime novel
good netflix series for the weekend?
best horror movies of the eighties
top ten albums of all time
lyrics of bohemian rhapsody
chords for let it be
who won the world cup in 2014
how many goals has messi scored
offside rule, how does it go
rules of poker in short
best chess opening for beginners
e4, your move
let's play hangman, i'll guess
twenty questions, you start
give me a crossword clue for ocean
trivia quiz with five questions please
translate good evening into italian
how do you say cheese in french
what's thank you in japanese
translate this letter to polish for me
what does carpe diem mean
put the following into spanish: where is the bathroom
english word for schadenfreude
conjugate the verb to be in latin
what does lol stand for
is it affect or effect
who or whom, when do i use which
plural of octopus?
synonym for beautiful
antonym of generous
rhyme for orange?
spell mississippi
fix the grammar: me and him goes to school
proofread my cover letter
shorten this text to fifty words
rewrite this email so that it sounds friendlier
reply to this angry customer for me
write an apology to my landlord
cover letter for a job as a nurse
letter of resignation please, two weeks notice
draft a complaint about a late parcel
write a linkedin post about my new job
wedding speech for my brother
birthday poem for my mother who turns 70
limerick about a fat cat
haiku about autumn leaves
love letter to my girlfriend
song lyrics about the open road
rap about my school
essay on climate change, 800 words
five page report about the french revolution
blog article about healthy breakfast
write the first chapter of a thriller
movie script with two detectives
product description for a handmade candle
slogan for my coffee shop
names for a golden retriever
baby names starting with l
tweet about my new album
dialogue between a king and a thief, two pages long
summarise this pdf about tax law
summarize the book sapiens
write me a business plan for a food truck
marketing ideas for a hair salon
interview questions for a project manager
make a table of all the planets with sizes
timetable for my exam weeks
workout plan for three days a week
diet plan to lose five kilos
weekly meal plan for a family of four
shopping list for a barbecue
recipe for banana bread
how long do i boil an egg
what can i cook with rice and eggs
substitute for buttermilk?
is raw chicken dangerous
how many calories in an avocado
which wine goes with fish
how do i get red wine out of a carpet
my drain is blocked, what helps
how to change a flat tyre
why does my car squeak when i brake
washing machine smells, what to do
how do i grow tomatoes on a balcony
my orchid is dying, help
when should i prune roses
how often must i water a cactus
my puppy bites everything
what to feed a hedgehog in winter
baby won't sleep, any tricks
how do i tell my son that grandpa died
how do i ask her out
is she into me if she writes every day
my boyfriend cheated, should i leave him
what to buy my dad for christmas
gift ideas for a teacher
i have a sore throat since monday, what should i take
my knee hurts when i run
is 38.5 a high fever
can i take ibuprofen with alcohol
what are symptoms of diabetes
how much sleep does a teenager need
i have a rash on my arm, is that serious
does coffee raise blood pressure
how do i stop biting my nails
tips against exam nerves
how to fall asleep faster
am i depressed
should i invest in etfs
is now a good time to buy gold
how does a mortgage work
what is inflation
do i have to pay tax on ebay sales
can my landlord raise the rent just like that
how do i write a will
is it legal to fly a drone in a park
can i return shoes without a receipt
what's a good salary for an electrician
how do i ask for a raise
should i study medicine or law
how to become a pilot
which is better, iphone or samsung
is tesla a good car
best laptop for students under 500
ps5 or xbox?
how do i reset my iphone
my wifi router blinks red, why
printer says paper jam but there is none
how to make a table of contents in word
photoshop: how do i cut out a person
how do i block someone on whatsapp
can't log in to facebook
what is bitcoin exactly
how does gps know where i am
plan a weekend in lisbon
three days in rome with kids, what should we see
cheap hotel in vienna?
do i need a visa for vietnam
best time of year to visit japan
what should i pack for iceland
draw me a dragon
picture of a sunset over the sea please
make a logo for my football club
generate an image of a cat in space
what's in this photo
paint a portrait of my wife
play some jazz
turn off the lights in the kitchen
order a pizza margherita
remind me to call mum at five
book a table for two tonight
what is the meaning of life
do ghosts exist
is there life on other planets
what does it mean to dream of snakes
what's my horoscope, i'm a leo
read my palm
""")


def ask(g):
    noun = lambda: g.pick(g.pick([L.LAND, L.WILD, L.THINGS, L.PEOPLE, L.MORE_HEROES]))
    values = dict(noun=noun(), noun2=noun(), year=g.rng.randint(1066, 2025))
    for name, choices in (("topic", L.SUBJECTS), ("language", L.LANGUAGES), ("code", L.PROGRAMMING), ("place", L.FACT_TOPICS), ("person", L.PERSONS), ("work", WORKS),
                        ("event", EVENTS), ("invention", INVENTIONS), ("food", FOODS), ("ill", ILLS), ("chore", CHORES), ("substance", SUBSTANCES), ("body", BODIES),
                        ("activity", ACTIVITIES), ("continent", CONTINENTS)):
        values[name], values[name + "2"] = g.pick(choices), g.pick(choices)
    text = g(ASK, **values)
    if g.chance(0.35):
        text += "?" if text.split()[0] in ("what", "who", "how", "when", "where", "why", "is", "can", "could", "do", "should", "what's", "which") else "."
    return text, g(ANSWERS)
