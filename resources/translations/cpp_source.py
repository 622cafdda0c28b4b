"""C++ sources as tokens with their brackets, functions and tables: enough to follow a text (error_texts.py), far from a parser."""
import itertools
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<raw>R"(?P<mark>[^(\s]*)\((?P<inner>.*?)\)(?P=mark)")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:'?[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign>::|->|&&|\|\||[=!<>+\-*/%&|^]=|<<|\.\.\.|.)
""", re.X | re.S | re.M)
PAIRS = {")": "(", "]": "[", "}": "{"}
NO_FUNCTIONS = {"if", "for", "while", "switch", "return", "catch", "sizeof"}
AFTER_PARAMETERS = {"const", "noexcept", "mutable", "override", "final"}


class Token:
    __slots__ = ("kind", "text", "line", "match")

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line
        self.match = 0  # of a bracket: where its other one is


def unescaped(literal):
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), literal)


def tokens_of(source):
    """Comments and lines of the preprocessor are left out; the text of a string is what it says."""
    tokens, line, open_ = [], 1, []
    for found in TOKEN.finditer(source):
        if found["skip"] is None:
            kind, text = found.lastgroup, found[0]
            if kind in ("raw", "string"):
                kind, text = "string", found["inner"] if kind == "raw" else unescaped(text[1:-1])
            tokens.append(Token(kind, text, line))
            if kind == "sign" and text in PAIRS.values():
                open_.append(len(tokens) - 1)
            elif kind == "sign" and text in PAIRS and open_ and tokens[open_[-1]].text == PAIRS[text]:
                tokens[-1].match = open_.pop()
                tokens[tokens[-1].match].match = len(tokens) - 1
        line += found[0].count("\n")
    return tokens


class Function:
    """A function, or a lambda by the name of the variable that holds it. `opens`: the parenthesis of the parameters; `body`, `end`: its
    braces; `owner`: its class, where it is defined outside of it."""

    def __init__(self, name, owner, parameters, opens, body, end):
        self.name, self.owner, self.parameters, self.opens, self.body, self.end = name, owner, parameters, opens, body, end


class File:
    def __init__(self, path, source):
        self.path, self.tokens = path, tokens_of(source)
        self.functions, self._around = list(self._all_functions()), {}
        self.names = {function.name for function in self.functions}
        self.openings = {function.opens for function in self.functions}

    def parts(self, start, end, sign=","):
        """The ranges between the signs of one nesting level."""
        at, begin = start, start
        while at < end:
            token = self.tokens[at]
            if token.kind == "sign" and token.match > at:
                at = token.match
            elif token.kind == "sign" and token.text == sign:
                yield begin, at
                begin = at + 1
            at += 1
        if begin < end:
            yield begin, end

    def inside(self, opens):
        """The parts between two brackets."""
        return list(self.parts(opens + 1, self.tokens[opens].match))

    def until(self, start, signs):
        """Where an expression ends: before one of the signs, or before the bracket that it is in closes."""
        at = start
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind == "sign":
                if token.text in signs or token.text in PAIRS:
                    break
                at = max(at, token.match)
            at += 1
        return at

    def around(self, at):
        """The functions around a place, the innermost first."""
        if at not in self._around:
            self._around[at] = sorted((one for one in self.functions if one.opens < at < one.end), key=lambda one: -one.opens)
        return self._around[at]

    def columns(self, member):
        """(struct, index) of the structs of this file that have a member of this name."""
        tokens = self.tokens
        for at, token in enumerate(tokens[:-2]):
            if token.text == "struct" and tokens[at + 2].text == "{" and tokens[at + 2].match:
                members = [self._last_name(*name) for line in self.parts(at + 3, tokens[at + 2].match, ";") for name in self.parts(*line)]
                if member in members:
                    yield tokens[at + 1].text, members.index(member)

    def rows(self, struct):
        """The opening braces of what tables and variables of a struct hold."""
        for at, token in enumerate(self.tokens):
            if token.text == struct and token.kind == "name" and self.tokens[at - 1].text != "struct":
                opens = next((i for i in range(at, len(self.tokens)) if self.tokens[i].text in ("{", ";", "(")), at)
                if self.tokens[opens].text == "{" and self.tokens[opens].match:
                    yield from self._rows_in(opens)

    def _rows_in(self, opens):
        inner = [part[0] for part in self.inside(opens)]
        nested = [at for at in inner if self.tokens[at].text == "{" and self.tokens[at].match]
        for at in nested:
            yield from self._rows_in(at)
        if len(nested) != len(inner) or not inner:
            yield opens

    def _last_name(self, start, end):
        """What a declaration declares."""
        before = itertools.takewhile(lambda token: token.kind != "sign" or token.text not in "={(", self.tokens[start:end])
        return ([""] + [token.text for token in before if token.kind == "name"])[-1]

    def _name_before(self, opens):
        """Of the function whose parameters begin here; None if these are no parameters."""
        tokens, before = self.tokens, self.tokens[opens - 1]
        if tokens[opens - 2].text in (":", ","):  # a member in a constructor's list
            return None
        if before.kind == "name":
            return None if before.text in NO_FUNCTIONS else before.text
        if before.text != "]" or not before.match:
            return None
        return tokens[before.match - 2].text if tokens[before.match - 1].text == "=" else ""

    def _body_after(self, closes):
        """The brace of the function whose parameters end here; 0 if there is none."""
        tokens, at = self.tokens, closes + 1
        while at < len(tokens) and tokens[at].text in AFTER_PARAMETERS:
            at += 1
        if at < len(tokens) and tokens[at].text == "->":
            at = self.until(at + 1, "{;")
        while at + 2 < len(tokens) and tokens[at].text in (":", ",") and tokens[at + 2].text in ("(", "{"):
            at = (tokens[at + 2].match or at) + 1  # a constructor's list of members
        return at if at < len(tokens) and tokens[at].text == "{" and tokens[at].match else 0

    def _all_functions(self):
        tokens = self.tokens
        for at, token in enumerate(tokens):
            if token.text != "(" or token.kind != "sign" or not token.match or at < 2:
                continue
            name = self._name_before(at)
            body = self._body_after(token.match) if name is not None else 0
            if body:
                owner = tokens[at - 3].text if tokens[at - 2].text == "::" else ""
                yield Function(name, owner, [self._last_name(*part) for part in self.inside(at)], at, body, tokens[body].match)
