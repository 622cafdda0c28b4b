"""Invented names, made of syllables or of single letters, so that the model must copy a name and cannot know it."""
VOWELS = "a a a e e e i i i o o o u u y ae ai ea ee ia ie io oa oo ou ua ei oe uu".split()
ONSETS = ("b c d f g h j k l m n p q r s t v w x z b d f g k l m n p r s t v z bl br ch cl cr dr fl fr gh gl gr kh kl kn kr ph pl pr qu rh sc sh "
          "sk sl sm sn sp st str sv sw th thr tr ts tw vl vr wh wr zh zw").split() + [""] * 6
CODAS = ("b c d f g k l m n p r s t v x z l n r s t ck ff gg ld ll lm lt mp nd ng nk nn nt pp rd rk rm rn rt sh sk ss st th tt tz zz").split() + [""] * 30
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def syllables(rng):
    return "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 3])))


def alternating(rng):
    start = rng.randrange(2)
    return "".join(rng.choice("aeiouy" if (i + start) % 2 else "bcdfghjklmnpqrstvwxz") for i in range(rng.randint(2, 10)))


def scattered(rng):
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 8)))


def changed(rng, known):
    """A known name with one or two letters replaced, dropped or added: similar to a known one, but it must be copied."""
    name = list(rng.choice(known).lower())
    for _ in range(rng.choice([1, 1, 2])):
        i = rng.randrange(len(name))
        way = rng.randrange(3)
        if way == 0:
            name[i] = rng.choice(LETTERS)
        elif way == 1:
            name.insert(i, rng.choice(LETTERS))
        elif len(name) > 2:
            del name[i]
    return "".join(name)


def invented(rng, known=()):
    """A capitalised name of 2 to 10 letters."""
    while True:
        roll = rng.random()
        if roll < 0.2 and known:
            name = changed(rng, known)
        elif roll < 0.68:
            name = syllables(rng)
        elif roll < 0.86:
            name = alternating(rng)
        else:
            name = scattered(rng)
        if 2 <= len(name) <= 10 and name.isalpha():
            return name.capitalize()
