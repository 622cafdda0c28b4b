"""Word lists. Heroes are grouped by the kind of place where they live."""
from .grammar import words

BOYS = words("""Felix, Tom, Ben, Max, Leo, Sam, Jack, Oliver, Hugo, Arthur, Oscar, Theo, Noah, Finn, Henry, George, Charlie,
Peter, Paul, David, Daniel, Adam, Alex, Martin, Simon, Victor, Walter, Otto, Emil, Jonas, Lukas, Karl, Bruno, Milo, Toby,
Rufus, Barnaby, Jasper, Rowan, Silas, Edgar, Albert, Frank, Ivan, Boris, Marco, Pablo, Diego, Omar, Ali, Ravi, Arjun, Kenji,
Hiro, Wei, Jin, Kofi, Ahmed, Yusuf, Bob, Joe, Jim, John, James, Robert, Michael, William, Thomas, Chris, Matt, Nick, Steve,
Mark, Luke, Andrew, Eric, Kevin, Brian, Ryan, Jason, Justin, Tim, Greg, Pete, Dan, Mike, Rob, Will, Harry, Fred, Ned, Gus""")
GIRLS = words("""Luna, Mia, Anna, Emma, Lily, Rosa, Clara, Ella, Nora, Ruby, Ivy, Daisy, Alice, Sophie, Julia, Maria, Eva, Lucy,
Grace, Chloe, Zoe, Amelia, Olivia, Hannah, Sarah, Laura, Helen, Greta, Frieda, Ingrid, Astrid, Freya, Elsa, Heidi, Marta,
Nina, Lena, Lea, Paula, Carla, Bella, Stella, Poppy, Hazel, Willow, Rosie, Tilly, Millie, Pearl, Olive, Flora, Iris, Violet,
Penny, Molly, Polly, Dora, Wanda, Tara, Priya, Asha, Meera, Yuki, Hana, Sakura, Mei, Ling, Fatima, Aisha, Leila, Amina, Zara,
Kate, Jane, Mary, Susan, Linda, Karen, Lisa, Nancy, Betty, Emily, Jessica, Rachel, Megan, Amy, Claire, Beth, Ann, Sue, Meg""")
SURFACE = words("sunny, quiet, windy, green, snowy, little, old, far, wide, hidden, golden, misty, peaceful, warm, cold")

LAND = words("""fox, bear, wolf, rabbit, hare, deer, squirrel, hedgehog, badger, mouse, mole, boar, moose, raccoon, skunk, beaver,
chipmunk, weasel, lynx, owl, robin, sparrow, woodpecker, crow, raven, magpie, cuckoo, snail, ant, beetle, ladybug, butterfly,
caterpillar, spider, cricket, grasshopper, bee, firefly, worm, dragonfly, lizard, porcupine, otter, bat, eagle, hawk, falcon,
nightingale, pheasant, stag, fawn, marten, dormouse, shrew, toad, frog, newt, salamander, mosquito, moth, wasp, bumblebee""")
FARM = words("""cat, dog, kitten, puppy, cow, horse, pony, donkey, pig, piglet, sheep, lamb, goat, chicken, hen, rooster, chick,
duck, duckling, goose, turkey, hamster, guinea pig, parrot, canary, goldfish, foal, calf, mule, pigeon, swan, peacock, rat""")
WILD = words("""lion, tiger, elephant, giraffe, zebra, monkey, gorilla, chimpanzee, hippo, rhino, crocodile, leopard, cheetah,
hyena, camel, antelope, buffalo, meerkat, ostrich, flamingo, panther, jaguar, sloth, toucan, snake, python, chameleon, koala,
kangaroo, panda, lemur, tortoise, armadillo, anteater, llama, alpaca, gazelle, baboon, vulture, cobra, gecko, wombat, emu""")
SEA = words("""whale, dolphin, shark, octopus, crab, lobster, turtle, seal, starfish, jellyfish, fish, seahorse, squid, clam,
seagull, shrimp, salmon, eel, ray, pelican, manatee, mermaid, sailor, pirate, fisherman, captain, boat, ship, submarine,
lighthouse, swordfish, tuna, sardine, sea lion, diver""")
ICE = words("penguin, polar bear, walrus, reindeer, snow owl, arctic fox, husky, snowman, yeti, snowflake, puffin, snow leopard")
PEOPLE = words("""king, queen, prince, princess, knight, wizard, witch, baker, farmer, teacher, doctor, nurse, painter, gardener,
tailor, carpenter, shepherd, miller, blacksmith, cook, clown, dancer, singer, musician, poet, inventor, detective, postman,
firefighter, librarian, scientist, astronaut, pilot, explorer, hunter, beggar, merchant, juggler, magician, clockmaker,
shoemaker, boy, girl, grandmother, grandfather, twin, giant, thief, soldier, student, driver, builder, nun, monk, mayor,
policeman, acrobat, fiddler, potter, weaver, barber, butcher, beekeeper, chimney sweep, wanderer, child, old man, old woman""")
MAGIC = words("""dragon, unicorn, fairy, elf, dwarf, goblin, troll, ghost, phoenix, griffin, gnome, ogre, monster, vampire,
werewolf, genie, sprite, centaur, pixie, imp, robot, alien, cyclops, sphinx, leprechaun, hobgoblin, zombie, android""")
THINGS = words("""teapot, train, car, bus, bicycle, tractor, balloon, kite, clock, lamp, candle, book, pencil, shoe, sock, hat,
umbrella, chair, spoon, cup, kettle, toy, doll, teddy bear, drum, violin, guitar, piano, bell, mirror, key, coin, button, broom,
bucket, lantern, suitcase, rocket, airplane, helicopter, truck, scooter, computer, toaster, fridge, stone, pebble, cloud, star,
tree, flower, rose, sunflower, leaf, apple, pear, pumpkin, carrot, potato, mushroom, acorn, river, mountain, raindrop, cookie,
cake, pancake, loaf of bread, scarf, mitten, backpack, compass, map, feather, seed, tulip, daisy, cactus, scarecrow, windmill,
bridge, door, window, pillow, blanket, ball, marble, snow globe, paper boat, tin soldier, music box, telephone, radio, printer""")

GROUPS = [
    (LAND, ["forest", "wood", "meadow", "valley"], 8), (FARM, ["farm", "village", "farmyard", "small town"], 6),
    (WILD, ["jungle", "savanna", "valley", "land"], 6), (SEA, ["bay", "harbour", "island", "coast"], 4),
    (ICE, ["land of snow", "valley of ice", "village in the north"], 2),
    (PEOPLE, ["village", "town", "castle", "kingdom", "city"], 8),
    (MAGIC, ["mountain", "cave", "castle", "kingdom", "forest"], 5), (THINGS, ["house", "village", "garden", "town", "shop"], 7),
]
PLACES = dict()
for _group, _places, _weight in GROUPS:
    for _hero in _group:
        PLACES[_hero] = _places

TRAITS = words("""brave, shy, curious, small, clever, kind, lazy, gentle, cheerful, lonely, hungry, tired, proud, old, young, tiny,
big, quiet, friendly, funny, grumpy, lucky, patient, busy, careful, happy, sleepy, silly, polite, honest, clumsy, bold, little,
red, blue, white, black, golden, green, fluffy, fat, thin, hairy, sad, angry, greedy, noisy, wise, blind, magic, lost, nervous""")

FACT_TOPICS = words("""France, Germany, Italy, Spain, Japan, China, India, Brazil, Canada, Egypt, Kenya, Norway, Sweden, Poland,
Mexico, Peru, Chile, Russia, Greece, Turkey, Portugal, Ireland, Scotland, England, Australia, New Zealand, Argentina, Iceland,
London, Paris, Berlin, Rome, Tokyo, New York, Madrid, Moscow, Vienna, Prague, Cairo, Sydney, Delhi, Beijing, Amsterdam""")
PERSONS = words("""Napoleon, Einstein, Newton, Shakespeare, Mozart, Beethoven, Cleopatra, Julius Caesar, Lincoln, Gandhi, Picasso,
Marie Curie, Darwin, Galileo, Leonardo da Vinci, Columbus, Churchill, Tesla, Edison, Bach, Van Gogh, Plato, Socrates, Homer,
Taylor Swift, Elvis, Michael Jackson, Messi, Ronaldo, Obama, the Pope, the president, Alan Turing, Ada Lovelace, Goethe""")
SUBJECTS = words("""quantum physics, black holes, gravity, photosynthesis, evolution, the French Revolution, the Second World War,
the Roman Empire, the stock market, inflation, democracy, climate change, volcanoes, earthquakes, dinosaurs, vaccines, DNA,
the human heart, the moon landing, electricity, magnets, nuclear power, chemistry, algebra, geometry, calculus, philosophy,
religion, economics, politics, the internet, blockchain, bitcoin, machine learning, neural networks, football, tennis, chess,
the Olympic Games, opera, jazz, yoga, meditation, cooking, baking, gardening, astronomy, Mars, Saturn, the sun, atoms, light,
sound, oceans, glaciers, rainforests, bees and pollen, whales and sonar, the Titanic, the pyramids, samurai, vikings, knights,
taxes, insurance, mortgages, law, history, geography, biology, music theory, painting, poetry, grammar, Latin, string theory,
relativity, the Big Bang, the water cycle, plate tectonics, genetics, antibiotics, blood pressure, sleep, diets, vitamins""")
LANGUAGES = words("""French, German, Spanish, Italian, Japanese, Chinese, Russian, Portuguese, Dutch, Polish, Swedish, Turkish,
Arabic, Hindi, Korean, Greek, Latin, Finnish, Danish, Czech, Hungarian, Norwegian, Hebrew, Ukrainian, Vietnamese, Thai""")
PROGRAMMING = words("""Python, C++, Java, JavaScript, Rust, Go, C, SQL, HTML, CSS, Bash, Ruby, PHP, Kotlin, Swift, Haskell, Perl,
TypeScript, Lua, R, Scala, Lisp, assembly, QML, Fortran""")

# Heroes without a particular place, so that the model takes the hero from the prompt and not from memory.
MORE_HEROES = words("""accountant, acorn woodpecker, actor, admiral, airship, albatross, alligator, ambulance, anchor, angel, anvil,
apricot, archer, architect, armchair, arrow, avocado, axe, bagel, banana, banjo, banker, barrel, basket, bathtub, beard,
bell ringer, bench, berry, biscuit, bison, blackbird, blueberry, boat builder, bobcat, bottle, bowl, box, bracelet, branch, brick,
brontosaurus, brush, bulldozer, bumper car, butler, cabbage, calculator, camera, canoe, cardinal, caribou, carousel, carpet,
cello, chef, cherry tree, chess piece, chimney, chinchilla, cicada, clarinet, coat, cobbler, coconut, cod, coffee pot, comet,
conductor, coral, cormorant, cornflower, cowboy, coyote, crane, crayon, crown, crystal, cucumber, cupcake, curtain, dandelion,
deer mouse, desk, dinosaur, dishwasher, dodo, door handle, doughnut, dove, dragon egg, drummer, dumpling, dustpan, earthworm,
egg, electrician, elk, engineer, envelope, eraser, falconer, fan, fence, ferret, ferry, fiddle, finch, fire engine, flag, flea,
flute, footballer, fork, fountain, frying pan, garden gnome, gardener's cat, gibbon, ginger cat, globe, glove, gnat, goblet, goldsmith,
gondola, goose girl, grape, grapefruit, guard, guinea fowl, hairbrush, hairdresser, hammer, hammock, harp, harpist, hatmaker,
heron, hill, hippopotamus, hook, horseshoe, hot air balloon, hourglass, hummingbird, ibis, iceberg, icicle, iguana, inkpot, iron,
island, jackal, jacket, janitor, jar, jay, jellybean, jester, jigsaw, judge, jug, kayak, king crab, kingfisher, kiwi, koi,
ladder, lake, lantern maker, lawnmower, lawyer, lemon, lentil, letter, library book, lifeguard, lightbulb, lily, lock, locomotive,
log, lollipop, lorry, lynx kitten, macaw, magnet, mailbox, mammoth, mandolin, mango, maple tree, marmot, mask, matchstick, melon,
mercenary, meteor, microscope, milkman, mink, mirror maker, mop, moped, motorbike, motorcycle, mountain goat, muffin, mushroom picker,
mustard pot, nail, napkin, narwhal, necklace, needle, newsboy, notebook, nutcracker, oak tree, oboe, ocean, ocelot, officer,
okapi, olive, onion, opera singer, orange, orangutan, orchid, organist, oriole, oven, oyster, ox, paddle, palm tree, pan, pancake maker,
papaya, parachute, parrot fish, parsnip, partridge, peanut, pebble collector, pelican, pen, pepper, photographer, physicist, pickle,
picture, pie, pilgrim, pillar, pine cone, pineapple, piper, plate, plough, polecat, pond, postcard, pot, prairie dog, pretzel,
professor, prune, pterodactyl, puddle, puma, pump, puppet, puzzle, quail, quill, rabbit hole, radish, raft, rail, rainbow,
raspberry, rattlesnake, razor, recorder, red panda, refrigerator, ring, roller skate, roof, rope, rubber duck, rug, ruler, sack,
saddle, safe, sailing boat, sandcastle, sandwich, saucer, sausage, saw, scallop, scissors grinder, scorpion, screwdriver, sculptor,
secretary, shadow, shark, shell, sheriff, shovel, singer, sleigh, slipper, snowplough, soap bubble, soldier, soup, spaceship, spade,
spinning top, sponge, spoonbill, spring, stamp, stapler, statue, steamboat, stick insect, stool, stork, strawberry, streetlamp, student,
sugar cube, surgeon, swallow, sweater, sword, swordsman, table, tailor bird, tambourine, tank, tap, tapir, taxi, taxi driver, teacup,
telescope, tent, termite, thermos, thimble, thrush, thunderstorm, ticket, tile, tin can, toaster oven, tomato, toothbrush,
torch, towel, tower, toymaker, traffic light, tram, trampoline, treasure chest, triceratops, trombone, trout, trumpet, tuba, turnip,
typewriter, ukulele, unicycle, vase, velociraptor, veterinarian, viper, waffle, wagon, waiter, wallet, walnut, wardrobe, washing machine,
watch, watchmaker, watering can, watermelon, wave, weathercock, whistle, wig, wildcat, willow tree, wind, wine glass, wizard's hat,
wolverine, woodcutter, wren, xylophone, yacht, yak, yo-yo, zeppelin, zipper, zookeeper""")
GROUPS.append((MORE_HEROES, ["village", "town", "forest", "valley", "city", "house", "garden", "harbour"], 12))
MATERIALS = words("paper, glass, snow, silver, wooden, iron, sand, clay, ice, moon, river, mountain, forest, sea, garden, tin, copper, velvet, sugar, chocolate")
for _hero in MORE_HEROES:
    PLACES.setdefault(_hero, GROUPS[-1][1])
