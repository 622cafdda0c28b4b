"""A tiny text grammar: {a|b|c} picks one, [a] is included half of the time, both can be nested; <name> is replaced by a value."""


class Grammar:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, items):
        return self.rng.choice(items)

    def chance(self, p):
        return self.rng.random() < p

    def __call__(self, text, **values):
        if isinstance(text, (list, tuple)):
            text = self.rng.choice(text)
        out, _ = self._expand(text, 0, "")
        for name, value in values.items():
            out = out.replace("<" + name + ">", str(value))
        return " ".join(out.split(" "))

    def _expand(self, s, i, closing):
        """Expands s from i to a character of `closing` at this level, picking one of the options separated by '|'; returns (text, end)."""
        options, part = [], []
        while i < len(s):
            c = s[i]
            if c in closing:
                break
            if c == "{":
                text, i = self._expand(s, i + 1, "}")
                part.append(text)
            elif c == "[":
                text, i = self._expand(s, i + 1, "]")
                if self.rng.random() < 0.5:
                    part.append(text)
            elif c == "|" and closing:
                options.append("".join(part))
                part = []
            else:
                part.append(c)
            i += 1
        options.append("".join(part))
        return self.rng.choice(options), i


def lines(text):
    return [l.strip() for l in text.strip().splitlines() if l.strip()]


def words(text):
    return [w.strip() for w in text.replace("\n", " ").split(",") if w.strip()]
