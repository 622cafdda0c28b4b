#include "core/text/template/builtins/globals.h"
#include "core/text/template/builtins/methods.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>

namespace minerva::text::jinja {
namespace {

using View = std::string_view;

const std::string& textOf(const BoundArguments& bound, std::size_t index, const char* what) {
  const Value& value = bound[index];
  if (value.isUndefined()) failUndefined(value);
  if (!value.isString()) raise(std::string(what) + " must be str, not " + typeName(value));
  return value.text();
}

template <std::string (*convert)(View)>
Value mappedMethod(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments none("method", arguments, {});
  interpreter.heap().check(3 * self.text().size());
  return interpreter.string(convert(self.text()));
}

enum Side { left = 1, right = 2 };

View stripped(View text, const std::string* characters, int sides) {
  if (!characters) {
    if (sides & left) text = unicode::trimLeft(text);
    return sides & right ? unicode::trimRight(text) : text;
  }
  std::vector<char32_t> set;
  for (std::size_t at = 0; at < characters->size();) set.push_back(unicode::decode(*characters, at));
  const auto inSet = [&](char32_t c) { return std::find(set.begin(), set.end(), c) != set.end(); };
  while ((sides & left) && !text.empty()) {
    std::size_t at = 0;
    if (!inSet(unicode::decode(text, at))) break;
    text.remove_prefix(at);
  }
  while ((sides & right) && !text.empty()) {
    std::size_t start = 0;
    if (!inSet(unicode::decodeLast(text, start))) break;
    text = text.substr(0, start);
  }
  return text;
}

template <int sides>
Value strip(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("strip", arguments, {"chars"});
  if (bound.has(0) && bound[0].isUndefined()) failUndefined(bound[0]);
  if (bound.has(0) && !bound[0].isNone() && !bound[0].isString()) raise("strip arg must be None or str");
  const std::string* set = bound[0].isString() ? &bound[0].text() : nullptr;
  interpreter.heap().work(self.text().size() * (set ? set->size() + 1 : 1));
  return interpreter.string(std::string(stripped(self.text(), set, sides)));
}

std::vector<Value> strings(Interpreter& interpreter, const std::vector<View>& parts) {
  std::vector<Value> values;
  for (const View part : parts) values.push_back(interpreter.string(std::string(part)));
  return values;
}

// Splits on white space: a run counts as one separator, and runs at the ends give no empty parts. After `most` cuts, the
// remainder keeps the white space at its far end.
std::vector<View> splitSpace(View text, Int most, bool fromRight) {
  std::vector<View> parts;
  for (text = fromRight ? unicode::trimRight(text) : unicode::trimLeft(text); !text.empty(); --most) {
    if (most == 0) {
      parts.push_back(text);
      break;
    }
    std::size_t cut = 0, next = 0;  // the part ends at cut; the next one begins at next
    if (!fromRight) {
      while (cut < text.size() && unicode::spaceLength(text.substr(cut)) == 0) unicode::decode(text, cut);
      next = cut + unicode::spaceLength(text.substr(cut));
      parts.push_back(text.substr(0, cut));
      text = text.substr(next);
    } else {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = unicode::spaceLength(text.substr(at));
        if (space > 0) cut = at, at += space, next = at;
        else unicode::decode(text, at);
      }
      parts.push_back(text.substr(next));
      text = next == 0 ? View() : text.substr(0, cut);
    }
  }
  if (fromRight) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<View> splitOn(View text, View separator, Int most, bool fromRight) {
  std::vector<View> parts;
  for (; most != 0; --most) {
    const std::size_t at = fromRight ? text.rfind(separator) : text.find(separator);
    if (at == View::npos) break;
    parts.push_back(fromRight ? text.substr(at + separator.size()) : text.substr(0, at));
    text = fromRight ? text.substr(0, at) : text.substr(at + separator.size());
  }
  parts.push_back(text);
  if (fromRight) std::reverse(parts.begin(), parts.end());
  return parts;
}

template <bool fromRight>
Value split(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("split", arguments, {"sep", "maxsplit"});
  const Int most = bound.integer(1, -1);
  interpreter.heap().work(self.text().size());
  interpreter.heap().check(self.text().size());
  if (!bound.has(0) || bound[0].isNone()) {
    if (fromRight && most < 0) return interpreter.list(strings(interpreter, splitSpace(self.text(), most, false)));
    if (fromRight) {
      // Each cut from the right scans the whole remainder, so the cost grows with the number of cuts.
      interpreter.heap().work(self.text().size() * static_cast<std::size_t>(std::min<Int>(most, 1 << 20)) / 4);
    }
    return interpreter.list(strings(interpreter, splitSpace(self.text(), most, fromRight)));
  }
  const std::string& separator = textOf(bound, 0, "sep");
  if (separator.empty()) raise("empty separator");
  return interpreter.list(strings(interpreter, splitOn(self.text(), separator, most, fromRight)));
}

Value splitlines(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("splitlines", arguments, {"keepends"});
  const View text = self.text();
  const auto isBreak = [](char32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
  };
  std::vector<View> lines;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at;
    const char32_t c = unicode::decode(text, at);
    if (!isBreak(c)) continue;
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.push_back(text.substr(start, (bound.flag(0) ? at : end) - start));
    start = at;
  }
  if (start < text.size()) lines.push_back(text.substr(start));
  return interpreter.list(strings(interpreter, lines));
}

// The part of the string between the optional start and stop, and the character index where it begins; not valid if start is
// past its end.
struct Window {
  View text;
  std::size_t start = 0;
  bool valid = true;
};
Window window(const Value& self, const BoundArguments& bound) {
  const Int size = static_cast<Int>(self.string().length());
  const auto limit = [&](std::size_t i, Int fallback) {
    const Int at = bound.has(i) && !bound[i].isNone() ? bound.integer(i, fallback) : fallback;
    return at < 0 ? std::max<Int>(at + size, 0) : at;
  };
  const Int start = limit(1, 0), stop = std::min(limit(2, size), size);
  if (start > size || start > stop) return {{}, 0, false};
  return {characters(self.string(), static_cast<std::size_t>(start), static_cast<std::size_t>(stop)), static_cast<std::size_t>(start),
          true};
}

template <bool atEnd>
Value startsOrEnds(Interpreter&, const Value& self, Arguments& arguments) {
  const BoundArguments bound(atEnd ? "endswith" : "startswith", arguments, {"prefix", "start", "end"}, 1);
  const Window part = window(self, bound);
  const auto matches = [&](const Value& affix) {
    if (affix.isUndefined()) failUndefined(affix);
    if (!affix.isString())
      raise(std::string(atEnd ? "endswith" : "startswith") + " first arg must be str or a tuple of str, not " + typeName(affix));
    return part.valid && (atEnd ? part.text.ends_with(affix.text()) : part.text.starts_with(affix.text()));
  };
  if (bound[0].kind() != Kind::tuple) return Value::boolean(matches(bound[0]));
  return Value::boolean(std::any_of(bound[0].items().begin(), bound[0].items().end(), matches));
}

template <bool fromRight, bool must>
Value find(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("find", arguments, {"sub", "start", "end"}, 1);
  const std::string& sub = textOf(bound, 0, "argument");
  interpreter.heap().work(self.text().size());
  const Window part = window(self, bound);
  const std::size_t at = !part.valid ? View::npos : fromRight ? part.text.rfind(sub) : part.text.find(sub);
  if (at != View::npos) return Value::integer(static_cast<Int>(part.start + unicode::length(part.text.substr(0, at))));
  if (must) raise("substring not found");
  return Value::integer(-1);
}

Value count(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("count", arguments, {"sub", "start", "end"}, 1);
  const std::string& sub = textOf(bound, 0, "argument");
  const Window part = window(self, bound);
  interpreter.heap().work(self.text().size());
  if (!part.valid) return Value::integer(0);
  if (sub.empty()) return Value::integer(static_cast<Int>(unicode::length(part.text)) + 1);
  Int times = 0;
  for (std::size_t at = 0; (at = part.text.find(sub, at)) != View::npos; at += sub.size()) ++times;
  return Value::integer(times);
}

Value replaceMethod(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("replace", arguments, {"old", "new", "count"}, 2);
  const std::string& old = textOf(bound, 0, "replace() argument 1");
  const std::string& by = textOf(bound, 1, "replace() argument 2");
  return interpreter.string(replaceAll(interpreter.heap(), self.text(), old, by, bound.integer(2, -1)));
}

Value joinMethod(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("join", arguments, {"iterable"}, 1);
  std::string text;
  Value item;
  bool first = true;
  Int index = 0;
  for (const Puller pull = iterate(interpreter.heap(), bound[0]); pull(item); ++index) {
    if (!item.isString()) raise("sequence item " + integerText(index) + ": expected str instance, " + typeName(item) + " found");
    if (!first) text += self.text();
    first = false;
    text += item.text();
    interpreter.heap().check(text.size());
    interpreter.heap().work(8);
  }
  return interpreter.string(std::move(text));
}

Value formatMethod(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const FieldLookup lookUp = [&](const Value& value, const std::string& name, bool attribute) {
    if (attribute) return interpreter.attribute(value, name);
    const bool number =
        !name.empty() && name.size() < 10 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    return interpreter.item(value, number ? Value::integer(std::stoi(name)) : interpreter.string(name));
  };
  return interpreter.string(formatBraces(interpreter.heap(), self.text(), arguments, lookUp));
}

template <bool (*test)(char32_t)>
Value all(Interpreter& interpreter, const Value& self, Arguments&) {
  const std::string& text = self.text();
  interpreter.heap().work(text.size());
  for (std::size_t at = 0; at < text.size();)
    if (!test(unicode::decode(text, at))) return Value::boolean(false);
  return Value::boolean(!text.empty());
}
bool isAlnum(char32_t c) { return unicode::isAlpha(c) || unicode::isNumeric(c); }

// isupper, islower: at least one character of this case and no other cased character.
template <bool upper>
Value isCase(Interpreter& interpreter, const Value& self, Arguments&) {
  interpreter.heap().work(self.text().size());
  bool any = false;
  for (std::size_t at = 0; at < self.text().size();) {
    const char32_t c = unicode::decode(self.text(), at);
    if (unicode::isTitle(c) || (upper ? unicode::isLower(c) : unicode::isUpper(c))) return Value::boolean(false);
    any = any || (upper ? unicode::isUpper(c) : unicode::isLower(c));
  }
  return Value::boolean(any);
}
Value isTitle(Interpreter& interpreter, const Value& self, Arguments&) {
  interpreter.heap().work(self.text().size());
  bool any = false, previous = false;
  for (std::size_t at = 0; at < self.text().size();) {
    const char32_t c = unicode::decode(self.text(), at);
    const bool up = unicode::isUpper(c) || unicode::isTitle(c), low = unicode::isLower(c);
    if ((up && previous) || (low && !previous)) return Value::boolean(false);
    previous = up || low;
    any = any || previous;
  }
  return Value::boolean(any);
}
Value isAscii(Interpreter&, const Value& self, Arguments&) { return Value::boolean(unicode::isAscii(self.text())); }
Value isPrintable(Interpreter&, const Value& self, Arguments&) {
  for (std::size_t at = 0; at < self.text().size();)
    if (!unicode::isPrintable(unicode::decode(self.text(), at))) return Value::boolean(false);
  return Value::boolean(true);
}
Value isIdentifier(Interpreter&, const Value& self, Arguments&) {
  const std::string& text = self.text();
  for (std::size_t at = 0; at < text.size();) {
    const bool first = at == 0;
    const char32_t c = unicode::decode(text, at);
    if (!(c == '_' || unicode::isAlpha(c) || (!first && unicode::isDecimal(c)))) return Value::boolean(false);
  }
  return Value::boolean(!text.empty());
}

// Returns the number of characters missing to `width`; throws if the result would not fit.
std::size_t padWidth(Interpreter& interpreter, const Value& self, Int width) {
  const Int length = static_cast<Int>(self.string().length());
  if (width <= length) return 0;
  if (width > (Int{1} << 40)) raiseLimit("a text of more than 2^40 characters");
  interpreter.heap().check(static_cast<std::size_t>(width) * 4);
  return static_cast<std::size_t>(width - length);
}
std::string times(const std::string& fill, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fill;
  return text;
}
template <char where>
Value justify(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("justify", arguments, {"width", "fillchar"}, 1);
  const std::string fill = bound.has(1) ? textOf(bound, 1, "the fill character") : " ";
  if (unicode::length(fill) != 1) raise("The fill character must be exactly one character long");
  const Int width = bound.integer(0, 0);
  const std::size_t pad = padWidth(interpreter, self, width);
  const std::size_t before = where == '<' ? 0 : where == '>' ? pad : pad / 2 + (pad & static_cast<std::size_t>(width) & 1);
  return interpreter.string(times(fill, before) + self.text() + times(fill, pad - before));
}
Value zfill(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("zfill", arguments, {"width"}, 1);
  const std::size_t pad = padWidth(interpreter, self, bound.integer(0, 0));
  const std::string& text = self.text();
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return interpreter.string(text.substr(0, sign) + std::string(pad, '0') + text.substr(sign));
}

template <bool fromRight>
Value partition(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("partition", arguments, {"sep"}, 1);
  const std::string& separator = textOf(bound, 0, "argument");
  if (separator.empty()) raise("empty separator");
  const std::string& text = self.text();
  const std::size_t at = fromRight ? text.rfind(separator) : text.find(separator);
  const Value none = interpreter.string("");
  if (at == std::string::npos)
    return makeTuple(interpreter.heap(), fromRight ? std::vector<Value>{none, none, self} : std::vector<Value>{self, none, none});
  return makeTuple(interpreter.heap(),
                   {interpreter.string(text.substr(0, at)), bound[0], interpreter.string(text.substr(at + separator.size()))});
}

template <bool prefix>
Value removeAffix(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("removeprefix", arguments, {"affix"}, 1);
  const std::string& affix = textOf(bound, 0, "argument");
  View text = self.text();
  if (prefix && text.starts_with(affix)) text.remove_prefix(affix.size());
  else if (!prefix && text.ends_with(affix)) text.remove_suffix(affix.size());
  return interpreter.string(std::string(text));
}

Value expandtabs(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("expandtabs", arguments, {"tabsize"});
  const Int size = std::clamp<Int>(bound.integer(0, 8), 0, 1 << 16);
  std::string text;
  Int column = 0;
  for (const char c : self.text()) {
    if (c == '\t') {
      const Int spaces = size > 0 ? size - column % size : 0;
      text.append(static_cast<std::size_t>(spaces), ' ');
      column += spaces;
      interpreter.heap().check(text.size());
      continue;
    }
    text += c;
    if (c == '\n' || c == '\r') column = 0;
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++column;
  }
  return interpreter.string(std::move(text));
}

// Python's bytes, as far as templates need them: they have a length and can be printed and decoded again.
class BytesObject final : public Instance {
 public:
  BytesObject(Heap& heap, Value text) : Instance(heap), m_text(std::move(text)) {}
  std::string typeName() const override { return "bytes"; }
  std::string repr() const override {
    std::string out = "b'";
    for (const char c : m_text.text()) {
      const auto byte = static_cast<unsigned char>(c);
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", byte);
      if (c == '\'' || c == '\\') (out += '\\') += c;
      else if (c == '\n') out += "\\n";
      else if (c == '\r') out += "\\r";
      else if (c == '\t') out += "\\t";
      else if (byte >= 0x20 && byte < 0x7F) out += c;
      else out += hex;
    }
    return out + "'";
  }
  std::optional<Value> attribute(Interpreter& interpreter, const std::string& name) override;
  std::optional<std::size_t> length() const override { return m_text.text().size(); }
  std::optional<Value> item(Int index) const override {
    const auto at = static_cast<std::size_t>(index);
    return at < m_text.text().size() ? std::optional(Value::integer(static_cast<unsigned char>(m_text.text()[at]))) : std::nullopt;
  }

 private:
  Value m_text;
};

Value encode(Interpreter& interpreter, const Value& self, Arguments&) {
  return Value(Ref<Instance>(interpreter.heap().make<BytesObject>(0, self)));
}

// clang-format off
constexpr MethodEntry methods[] = {
    {"upper", mappedMethod<unicode::upper>}, {"lower", mappedMethod<unicode::lower>}, {"title", mappedMethod<unicode::title>},
    {"capitalize", mappedMethod<unicode::capitalize>}, {"swapcase", mappedMethod<unicode::swapcase>}, {"casefold", mappedMethod<unicode::casefold>},
    {"strip", strip<left | right>}, {"lstrip", strip<left>}, {"rstrip", strip<right>},
    {"split", split<false>}, {"rsplit", split<true>}, {"splitlines", splitlines},
    {"startswith", startsOrEnds<false>}, {"endswith", startsOrEnds<true>},
    {"find", find<false, false>}, {"rfind", find<true, false>}, {"index", find<false, true>}, {"rindex", find<true, true>},
    {"count", count}, {"replace", replaceMethod}, {"join", joinMethod}, {"format", formatMethod},
    {"isalpha", all<unicode::isAlpha>}, {"isdigit", all<unicode::isDigit>}, {"isdecimal", all<unicode::isDecimal>},
    {"isnumeric", all<unicode::isNumeric>}, {"isalnum", all<isAlnum>}, {"isspace", all<unicode::isSpace>},
    {"isupper", isCase<true>}, {"islower", isCase<false>}, {"istitle", isTitle}, {"isascii", isAscii},
    {"isprintable", isPrintable}, {"isidentifier", isIdentifier},
    {"zfill", zfill}, {"ljust", justify<'<'>}, {"rjust", justify<'>'>}, {"center", justify<'^'>},
    {"partition", partition<false>}, {"rpartition", partition<true>},
    {"removeprefix", removeAffix<true>}, {"removesuffix", removeAffix<false>},
    {"expandtabs", expandtabs}, {"encode", encode},
};
// clang-format on

std::optional<Value> BytesObject::attribute(Interpreter& interpreter, const std::string& name) {
  if (name != "decode") return std::nullopt;
  return makeInstance<FunctionObject>(interpreter.heap(), name, [text = m_text](Interpreter&, Arguments&) { return text; });
}

}  // namespace

std::span<const MethodEntry> stringMethods() { return methods; }

}  // namespace minerva::text::jinja
