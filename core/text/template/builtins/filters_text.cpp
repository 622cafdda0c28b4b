// Filters on text. Other values are converted to strings first, like Jinja's soft_str does.
#include "core/text/template/builtins/filters.h"
#include "core/text/template/builtins/methods.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <cstdio>

namespace minerva::text::jinja {
namespace {

std::string soft(Interpreter& interpreter, const Value& value) { return toText(interpreter.heap(), value); }

template <std::string (*convert)(std::string_view)>
Value mapped(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments none("filter", arguments, {});
  return interpreter.string(convert(soft(interpreter, value)));
}

// Jinja's title filter: unlike in str.title(), words begin after white space and - ( { [ <.
std::string titleWords(std::string_view text) {
  const auto separates = [](char32_t c) { return unicode::isSpace(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<'; };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t first = at, end = at;
    const char32_t c = unicode::decode(text, end);
    if (separates(c)) {
      out += text.substr(first, end - first);
      at = end;
      continue;
    }
    out += unicode::upper(text.substr(at, end - at));
    first = end;
    while (end < text.size()) {
      std::size_t next = end;
      if (separates(unicode::decode(text, next))) break;
      end = next;
    }
    out += unicode::lower(text.substr(first, end - first));
    at = end;
  }
  return out;
}

Value viaMethod(Interpreter& interpreter, const Value& value, Arguments arguments, const char* method) {
  const Value text = value.isString() ? value : interpreter.string(soft(interpreter, value));
  return interpreter.call(*findMethod(interpreter, text, method), std::move(arguments));
}
Value trim(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("trim", arguments, {"chars"});
  return viaMethod(interpreter, value, {{bound[0]}, {}}, "strip");
}
Value center(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("center", arguments, {"width"});
  return viaMethod(interpreter, value, {{bound.has(0) ? bound[0] : Value::integer(80)}, {}}, "center");
}

Value replace(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("replace", arguments, {"old", "new", "count"}, 2);
  const Int count = bound.has(2) && !bound[2].isNone() ? bound.integer(2, -1) : -1;
  return interpreter.string(
      replaceAll(interpreter.heap(), soft(interpreter, value), soft(interpreter, bound[0]), soft(interpreter, bound[1]), count));
}

Value toString(Interpreter& interpreter, const Value& value, Arguments&) {
  return value.isString() ? value : interpreter.string(soft(interpreter, value));
}
Value safe(Interpreter& interpreter, const Value& value, Arguments&) {
  return makeString(interpreter.heap(), soft(interpreter, value), true);
}
Value escape(Interpreter& interpreter, const Value& value, Arguments&) {
  if (value.isString() && value.string().markup) return value;
  return makeString(interpreter.heap(), escapeHtml(soft(interpreter, value)), true);
}
Value forceEscape(Interpreter& interpreter, const Value& value, Arguments&) {
  return makeString(interpreter.heap(), escapeHtml(soft(interpreter, value)), true);
}

Value indent(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("indent", arguments, {"width", "first", "blank"});
  std::string by;
  if (bound.has(0) && bound[0].isString()) {
    by = bound[0].text();
  } else {
    const Int width = bound.integer(0, 4);
    if (width > 100000) raiseLimit("an indent of more than 100000");
    by.assign(static_cast<std::size_t>(width < 0 ? 0 : width), ' ');
  }
  const bool blank = bound.flag(2);
  std::string source = soft(interpreter, value);
  if (!blank) source += '\n';  // so that splitlines() below keeps an empty last line
  std::string out;
  const auto line = [&](std::string_view text, bool first) {
    if (first ? bound.flag(1) : blank || !text.empty()) out += by;
    out += text;
    interpreter.heap().check(out.size());
  };
  if (!blank) {
    Arguments none;
    const Value lines = interpreter.call(*findMethod(interpreter, interpreter.string(source), "splitlines"), none);
    for (std::size_t i = 0; i < lines.items().size(); ++i) {
      if (i > 0) out += '\n';
      line(lines.items()[i].text(), i == 0);
    }
    return interpreter.string(std::move(out));
  }
  if (bound.flag(1)) out += by;
  out += replaceAll(interpreter.heap(), source, "\n", "\n" + by, -1);
  return interpreter.string(std::move(out));
}

Value truncate(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("truncate", arguments, {"length", "killwords", "end", "leeway"});
  const Int length = bound.integer(0, 255);
  const std::string end = bound.text(2, "...");
  const Int leeway = bound.has(3) && !bound[3].isNone() ? bound.integer(3, 5) : 5;
  const Int endLength = static_cast<Int>(unicode::length(end));
  if (length < endLength) raise("expected length >= " + integerText(endLength) + ", got " + integerText(length));
  if (leeway < 0) raise("expected leeway >= 0, got " + integerText(leeway));
  const Value text = toString(interpreter, value, arguments);
  if (static_cast<Int>(text.string().length()) <= length + leeway) return text;
  std::string cut(characters(text.string(), 0, static_cast<std::size_t>(length - endLength)));
  if (!bound.flag(1)) cut = cut.substr(0, cut.rfind(' '));
  return interpreter.string(cut + end);
}

Value wordcount(Interpreter& interpreter, const Value& value, Arguments&) {
  const std::string text = soft(interpreter, value);
  Int words = 0;
  bool inWord = false;
  for (std::size_t at = 0; at < text.size();) {
    const bool part = unicode::isWordCharacter(unicode::decode(text, at));
    words += part && !inWord ? 1 : 0;
    inWord = part;
  }
  return Value::integer(words);
}

// Returns the end of a word, or of a part that ends in a hyphen with two letters on either side (as in Python's textwrap).
std::size_t wordEnd(std::string_view line, std::size_t at, bool breakHyphens) {
  int letters = 0;
  while (at < line.size() && unicode::spaceLength(line.substr(at)) == 0) {
    const char32_t c = unicode::decode(line, at);
    if (c == '-' && letters >= 2 && breakHyphens) {
      std::size_t next = at;
      const bool first = next < line.size() && unicode::isAlpha(unicode::decode(line, next));
      if (first && next < line.size() && unicode::isAlpha(unicode::decode(line, next))) return at;
    }
    letters = unicode::isAlpha(c) ? letters + 1 : 0;
  }
  return at;
}

// Splits into lines of at most `width` characters at spaces; longer words are cut if breakLong is set.
void wrapLine(std::string_view line, std::size_t width, bool breakLong, bool breakHyphens, std::vector<std::string>& out) {
  std::string current;
  std::size_t currentLength = 0;
  const auto flush = [&] {
    if (!current.empty()) out.push_back(std::string(unicode::trimRight(current)));
    current.clear();
    currentLength = 0;
  };
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = at;
    const std::size_t space = unicode::spaceLength(line.substr(at));
    if (space > 0) {
      at += space;
      if (current.empty() && !out.empty()) continue;  // white space at a line break is dropped
    } else {
      at = wordEnd(line, at, breakHyphens);
    }
    std::string_view chunk = line.substr(start, at - start);
    std::size_t length = unicode::length(chunk);
    if (currentLength + length > width && space > 0) {
      flush();
      continue;
    }
    if (currentLength + length > width && length <= width) flush();
    while (breakLong && currentLength + length > width) {
      std::size_t cut = 0;
      for (std::size_t i = currentLength; i < width; ++i) unicode::decode(chunk, cut);
      current += chunk.substr(0, cut);
      chunk.remove_prefix(cut);
      length = unicode::length(chunk);
      out.push_back(current);
      current.clear();
      currentLength = 0;
    }
    if (!breakLong && length > width) flush();
    current += chunk;
    currentLength += length;
  }
  flush();
}

Value wordwrap(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("wordwrap", arguments, {"width", "break_long_words", "wrapstring", "break_on_hyphens"});
  const Int width = bound.integer(0, 79);
  if (width <= 0) raise("invalid width " + integerText(width) + " (must be > 0)");
  const std::string by = bound.has(2) && !bound[2].isNone() ? bound.text(2) : "\n";
  Arguments none;
  const Value text = interpreter.string(soft(interpreter, value));
  const Value lines = interpreter.call(*findMethod(interpreter, text, "splitlines"), none);
  std::string out;
  for (std::size_t i = 0; i < lines.items().size(); ++i) {
    std::vector<std::string> wrapped;
    interpreter.heap().work(4 * lines.items()[i].text().size());
    wrapLine(lines.items()[i].text(), static_cast<std::size_t>(std::min<Int>(width, 1 << 30)), bound.flag(1, true), bound.flag(3, true),
             wrapped);
    if (i > 0) out += by;
    for (std::size_t j = 0; j < wrapped.size(); ++j) out += (j > 0 ? by : "") + wrapped[j];
    interpreter.heap().check(out.size());
  }
  return interpreter.string(std::move(out));
}

// Removes comments and tags, collapses white space to single spaces and decodes entities.
Value striptags(Interpreter& interpreter, const Value& value, Arguments&) {
  std::string text = soft(interpreter, value);
  for (std::size_t at; (at = text.find("<!--")) != std::string::npos;) {
    const std::size_t end = text.find("-->", at);
    if (end == std::string::npos) break;
    interpreter.heap().work(text.size());
    text.erase(at, end + 3 - at);
  }
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('<', at), text.size());
    const std::size_t close = text.find('>', open);
    plain += text.substr(at, (close == std::string::npos ? text.size() : open) - at);
    at = close == std::string::npos ? text.size() : close + 1;
  }
  std::string out;
  for (std::string_view rest = unicode::trim(plain); !rest.empty();) {
    const std::size_t space = unicode::spaceLength(rest);
    if (space > 0) out += ' ';
    std::size_t end = space;
    if (space == 0) unicode::decode(rest, end), out += rest.substr(0, end);
    rest.remove_prefix(end);
  }
  static constexpr std::pair<const char*, const char*> entities[] = {{"&lt;", "<"},   {"&gt;", ">"},  {"&quot;", "\""},
                                                                     {"&#34;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [entity, character] : entities) out = replaceAll(interpreter.heap(), out, entity, character, -1);
  return interpreter.string(std::move(out));
}

// In a query, spaces become plus signs; elsewhere slashes are kept.
std::string percentEncoded(std::string_view text, bool query) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) || c == '_' || c == '.' || c == '-' || c == '~' || (!query && c == '/'));
    char hex[8];
    std::snprintf(hex, sizeof hex, "%%%02X", byte);
    if (plain) out += c;
    else if (query && c == ' ') out += '+';
    else out += hex;
  }
  return out;
}
Value urlencode(Interpreter& interpreter, const Value& value, Arguments&) {
  if (value.isString() || !(value.isDict() || value.isSequence()))
    return interpreter.string(percentEncoded(soft(interpreter, value), false));
  Arguments none;
  const Value pairs = value.isDict() ? interpreter.applyFilter("items", value, {}) : value;
  std::string out;
  for (const Value& pair : toVector(interpreter.heap(), pairs)) {
    const std::vector<Value> parts = toVector(interpreter.heap(), pair);
    if (parts.size() != 2) raise("expected pairs to encode");
    if (!out.empty()) out += '&';
    out += percentEncoded(soft(interpreter, parts[0]), true) + "=" + percentEncoded(soft(interpreter, parts[1]), true);
  }
  return interpreter.string(std::move(out));
}

Value xmlattr(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("xmlattr", arguments, {"autospace"});
  if (!value.isDict()) raise("'" + typeName(value) + " object' has no attribute 'items'");
  std::string out;
  for (const auto& [key, item] : value.dict().entries) {
    if (item.isNone() || item.isUndefined()) continue;
    const std::string name = soft(interpreter, key);
    if (name.find_first_of(" \t\n\r\f/>=") != std::string::npos)
      raise("Invalid character in attribute name: " + repr(interpreter.heap(), key));
    out += (out.empty() ? "" : " ") + escapeHtml(name) + "=\"" + escapeHtml(soft(interpreter, item)) + "\"";
  }
  return interpreter.string((bound.flag(0, true) && !out.empty() ? " " : "") + out);
}

Value format(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.keywords.empty()) raise("can't handle positional and keyword arguments at the same time");
  Value values = makeTuple(interpreter.heap(), arguments.positional);
  if (!arguments.keywords.empty()) {
    Ref<DictObject> dict = makeDict(interpreter.heap());
    for (const auto& [key, item] : arguments.keywords) dict->set(interpreter.string(key), item);
    values = Value(dict);
  }
  return interpreter.string(formatPercent(interpreter.heap(), soft(interpreter, value), values));
}

Value pprint(Interpreter& interpreter, const Value& value, Arguments&) { return interpreter.string(repr(interpreter.heap(), value)); }

// clang-format off
constexpr FilterEntry textTable[] = {
    {"upper", mapped<unicode::upper>}, {"lower", mapped<unicode::lower>}, {"capitalize", mapped<unicode::capitalize>},
    {"title", mapped<titleWords>}, {"trim", trim}, {"center", center}, {"replace", replace}, {"string", toString},
    {"safe", safe}, {"escape", escape}, {"e", escape}, {"forceescape", forceEscape}, {"indent", indent},
    {"truncate", truncate}, {"wordcount", wordcount}, {"wordwrap", wordwrap}, {"striptags", striptags},
    {"urlencode", urlencode}, {"xmlattr", xmlattr}, {"format", format}, {"pprint", pprint},
};
// clang-format on

}  // namespace

std::span<const FilterEntry> textFilters() { return textTable; }

}  // namespace minerva::text::jinja
