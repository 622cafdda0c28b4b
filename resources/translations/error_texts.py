"""Finds the sentences of minerva::Error in C++ sources, for resources/translations/update.

An error's `what` and `hint`, and `expected` and `actual` where they are words, are filled in at many places: directly, by a helper
function that passes its parameter on, from a named constant, a table or another function's result. So are warnings. The sources are not
compiled for this; their tokens are enough to follow a text from the error back to its literals. A value that is known only at run time
becomes %1, %2, ...: "Tensor " + name + " occurs twice" is found as "Tensor %1 occurs twice".
"""
import itertools
import os
import re

from cpp_source import File

FIELDS = ["kind", "what", "where", "expected", "actual", "hint"]
# Members whose texts errors quote, and their files.
QUOTED = {("text", "core/backend/fit.cpp"), ("unusable", "gpu/vulkan/device_info.cpp")}
HOLE = None     # in a text, which is a tuple of literals and holes
VALUE = {(HOLE,)}
MOST = 64       # alternatives of one text that are told apart
# Calls that pass their text on unchanged.
SAME = {"string", "string_view", "move", "QString", "QStringLiteral", "QLatin1String", "fromStdString", "fromUtf8", "fromLatin1",
        "text", "toStdString"}
PLACES = {"format": r"\{[^}]*\}", "arg": r"%\d"}  # of values, in the text of std::format and QString::arg


class Sources:
    def __init__(self, files):
        """files: {path: content}."""
        self.files = [File(path, content) for path, content in files.items()]
        self.places = {}    # {name: [(file, place)]}: where it is called, defined or given a value
        self.declared = {}  # {name: headers}
        self.known = {}     # what was followed, also to end at recursion
        for file in self.files:
            for at, token in enumerate(file.tokens[:-1]):
                if token.kind == "name" and file.tokens[at + 1].text in ("(", "{", "="):
                    self.places.setdefault(token.text, []).append((file, at))
                    if file.path.endswith(".h"):
                        self.declared.setdefault(token.text, set()).add(file.path)

    @staticmethod
    def under(root, folders):
        paths = [os.path.join(place, name) for folder in folders for place, _, names in sorted(os.walk(os.path.join(root, folder)))
                 for name in sorted(names) if name.endswith((".cpp", ".h"))]
        return Sources({os.path.relpath(path, root): open(path).read() for path in paths})

    def errors(self):
        """(path, line, field, texts) of every place that fills a field of an error; the field of a warning is "warning"."""
        for file in self.files:
            tokens = file.tokens
            for at, token in enumerate(tokens[:-1]):
                before, after = tokens[at - 1].text, tokens[at + 1]
                if token.text == "{" and token.match and (after.text == "." or after.kind == "name"):
                    yield from self._initialized(file, at)
                elif before in (".", "->") and after.text in ("=", "+=") and tokens[at - 2].text not in ("{", ","):
                    if token.text in FIELDS[1:] or (token.text, file.path) in QUOTED:
                        texts = self.texts(file, at + 2, file.until(at + 2, ";"))
                        yield file.path, token.line, token.text, {joined((HOLE, *text)) for text in texts} if after.text == "+=" else texts
                elif after.text == "(" and after.match and (token.text == "warn" and before != "::" or
                                                            token.text in ("push_back", "emplace_back") and
                                                            tokens[at - 2].text in ("warnings", "m_warnings")):
                    yield file.path, token.line, "warning", self.texts(file, at + 2, after.match)

    def _initialized(self, file, opens):
        """Error{.kind = ..., .what = ...}, {ErrorKind::io, "..."} and {kind, ...} with all fields. Our own mistakes are not translated."""
        tokens, cells = file.tokens, file.inside(opens)
        first = [token.text for token in tokens[slice(*cells[0])]] if cells else []
        if not cells or "internal" in first:
            return
        if first[0] == ".":
            names = [tokens[start + 1].text for start, _ in cells]
            if names[0] in ("kind", "what") and set(names) <= set(FIELDS):
                for name, (start, end) in zip(names, cells):
                    if name != "kind":
                        yield file.path, tokens[start].line, name, self.texts(file, start + 3, end)
        elif "ErrorKind" in first or first == ["kind"] and len(cells) == len(FIELDS):
            for name, cell in zip(FIELDS[1:], cells[1:]):
                yield file.path, tokens[cell[0]].line, name, self.texts(file, *cell)

    def texts(self, file, start, end):
        """The texts that an expression may have."""
        tokens = file.tokens
        while start < end and tokens[start].text == "(" and tokens[start].match == end - 1:
            start, end = start + 1, end - 1
        if start >= end:
            return set()
        question = next(file.parts(start, end, "?"))[1]
        if question < end:
            return self._either(file, question + 1, end)
        sums = list(file.parts(start, end, "+"))
        if len(sums) == 1:
            return self._term(file, start, end)
        product = itertools.product(*(self._part(file, *part) for part in sums))
        return {joined(itertools.chain.from_iterable(one)) for one in itertools.islice(product, MOST)}

    def _either(self, file, start, end):
        """`a : b`, which may hold further questions."""
        open_, at = 0, start
        while at < end:
            token = file.tokens[at]
            if token.kind == "sign":
                at = max(at, token.match)
                open_ += (token.text == "?") - (token.text == ":")
                if open_ < 0:
                    return self.texts(file, start, at) | self.texts(file, at + 1, end)
            at += 1
        return VALUE

    def _part(self, file, start, end):
        """A part of a sentence: what is not written in place is a value, unless it is words itself."""
        part = file.tokens[start:end]
        if any(token.kind == "string" for token in part):
            return self.texts(file, start, end) or VALUE
        if any(token.text in (".", "->") for token in part):
            return VALUE
        return {text if words(text) else (HOLE,) for text in self.texts(file, start, end)} or VALUE

    def _term(self, file, start, end):
        tokens, last = file.tokens, file.tokens[end - 1]
        if all(token.kind == "string" for token in tokens[start:end]):
            return {joined(["".join(token.text for token in tokens[start:end])])}
        if last.text == "}" and last.match == start:
            return set() if end - start == 2 else VALUE
        if last.text in (")", "}") and tokens[last.match - 1].kind == "name":
            return self._call(file, start, last.match)
        if last.kind != "name":
            return VALUE
        if end - start > 1 and tokens[end - 2].text in (".", "->"):
            return self._once(("member", file.path, last.text), lambda: self._member(file, last.text))
        if end - start == 1:
            for function in file.around(start):
                if last.text in function.parameters:
                    index = function.parameters.index(last.text)
                    return self._once(("given", file.path, function.opens, index), lambda: self._given(file, function, index))
        scope = file.around(start)
        return self._once(("held", file.path, last.text, scope[0].opens if scope else 0), lambda: self._held(file, scope, last.text))

    def _call(self, file, start, opens):
        tokens, name, inner = file.tokens, file.tokens[opens - 1].text, file.inside(opens)
        of = opens - 2 if opens - 2 > start and tokens[opens - 2].text in (".", "->") else 0  # the dot after an object
        if name in SAME and of and not inner:
            return self.texts(file, start, of)
        if name in SAME:
            return self.texts(file, *inner[0]) if len(inner) == 1 else VALUE if inner else set()
        if name in PLACES and (of or inner):
            made = self.texts(file, start, of) if of else self.texts(file, *inner[0])
            return {joined(itertools.chain.from_iterable(with_holes(piece, PLACES[name]) for piece in text)) for text in made}
        returned = [self._once(("returned", owner.path, function.opens), lambda: self._returned(owner, function))
                    for owner, function in self._definitions(file, name)]
        return set().union(*returned) if returned else VALUE

    def _definitions(self, file, name):
        """Functions of this name in the file itself, or else beside the only header that declares one."""
        headers = self.declared.get(name, set())
        paths = {file.path} if name in file.names else {path for header in headers for path in (header, header[:-2] + ".cpp")}
        if file.path not in paths and len(headers) != 1:
            return []
        return [(one, function) for one in self.files if one.path in paths for function in one.functions if function.name == name]

    def _once(self, key, follow):
        """What is followed to nothing is a value; nothing is found a second time within itself."""
        if key not in self.known:
            self.known[key] = set()
            self.known[key] = follow() or VALUE
        return self.known[key]

    def _returned(self, file, function):
        found = set()
        for at in range(function.body, function.end):
            token = file.tokens[at]
            if token.text == "return" and token.kind == "name" and file.around(at)[0] is function:
                found |= self.texts(file, at + 1, file.until(at + 1, ";"))
        return found

    def _given(self, file, function, index):
        """What calls give for a parameter: those in the file, and elsewhere if the name can only mean this function."""
        found = set()
        headers = self.declared.get(function.name, set())
        everywhere = (len(headers) == 1 or function.name[:1].isupper()) and not headers.isdisjoint({file.path, file.path[:-4] + ".h"})
        for other, at in self.places.get(function.name, []):
            opens, tokens = at + 1, other.tokens
            if not tokens[opens].match or opens in other.openings or tokens[at - 1].text in ("struct", "class"):
                continue
            named = function.owner and tokens[at - 1].text == "::" and tokens[at - 2].text == function.owner
            if other is not file and not named and (not everywhere or function.name in other.names):
                continue
            given = other.inside(opens)
            if index < len(given) <= len(function.parameters) and not declares(tokens[slice(*given[index])]):
                found |= self.texts(other, *given[index])
        return found

    def _held(self, file, scope, name):
        """What a variable, member or constant is given in its file, or in the only header that declares it."""
        found = set()
        headers = self.declared.get(name, set())
        for other, at in self.places.get(name, []):
            if other is not file and headers != {other.path}:
                continue
            if not name.startswith("m_") and other.around(at) and (other is not file or not set(other.around(at)) & set(scope)):
                continue
            if other.tokens[at + 1].text == "=":
                found |= self.texts(other, at + 2, other.until(at + 2, ";,"))
            elif name.startswith("m_") or other.tokens[at - 1].kind == "name":  # m_name(text), std::string name(text)
                for part in other.inside(at + 1)[:1]:
                    found |= self.texts(other, *part)
        return found

    def _member(self, file, name):
        """What the rows of the file's own tables have for a member: struct Row { ...; const char* what; } rows[] = {{...}, ...}."""
        found = set()
        for struct, index in file.columns(name):
            for row in file.rows(struct):
                cells = file.inside(row)
                for start, end in cells:
                    if [token.text for token in file.tokens[start:start + 2]] == [".", name]:
                        found |= self.texts(file, start + 3, end)
                if index < len(cells) and file.tokens[cells[index][0]].text != ".":
                    found |= self.texts(file, *cells[index])
        return found


def declares(tokens):
    """Whether an argument is a parameter instead, in the declaration of a function."""
    return len(tokens) > 1 and tokens[-1].kind == "name" and (tokens[-2].kind == "name" or tokens[-2].text in ("*", "&", "&&", ">"))


def with_holes(piece, places):
    if piece is HOLE:
        return [HOLE]
    literals = re.split(places, piece)
    return [one for literal in literals for one in (literal, HOLE)][:-1]


def joined(pieces):
    """Without empty literals; neighbours of one kind become one."""
    made = []
    for piece in pieces:
        if piece and made and made[-1]:
            made[-1] += piece
        elif piece or piece is HOLE and (not made or made[-1] is not HOLE):
            made.append(piece)
    return tuple(made)


def shown(text):
    """As it is translated: a value is %1, %2, ..."""
    count = itertools.count(1)
    return "".join(f"%{next(count)}" if piece is HOLE else piece for piece in text)


def words(text):
    """Whether a text is of words, and no name of a tensor, field or file."""
    said = "".join(piece or " " for piece in text)
    if re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", said):
        return True
    return bool(re.search(r"[a-z]{2,}[ ,:;]+.*[a-z]{2}", said)) and not re.search(r"[/_#@']|\w\.\w", said)


def told(text):
    """Whether a text says something without its values: a word at least, and enough letters to know it again."""
    said = [piece for piece in text if piece is not HOLE]
    letters = sum(len(re.findall(r"[A-Za-z]", piece)) for piece in said)
    word = any(re.search(r"(?<![\w:/.\[\"{-])[a-z]{2,}(?!\w|[:/\"]|\.\w)|^a ", piece) for piece in said)
    return letters >= 4 and word and (len(text) > 1 or " " in said[0])


def quotes(text):
    """Whether a value is itself a text of an error: after a colon at the end, or before a comma at the beginning."""
    return len(text) > 1 and (text[-1] is HOLE and text[-2].endswith(": ") or text[0] is HOLE and text[1].startswith(", "))
