#include "core/text/tool_calls/growing_tags.h"

#include "core/text/markers.h"

#include <nlohmann/json.hpp>

#include <array>
#include <bit>

namespace minerva::text::calls {
namespace {

// What a string of JSON has between its quotes.
std::string betweenQuotes(std::string_view text) {
  const std::string json = jsonString(text);
  return json.substr(1, json.size() - 2);
}

// Without a character at the end that is not there as a whole.
std::string_view wholeCharacters(std::string_view text) {
  std::size_t tail = 0;
  while (tail < text.size() && tail < 3 && std::countl_one(static_cast<unsigned char>(text[text.size() - 1 - tail])) == 1) ++tail;
  if (tail == text.size()) return text;
  const auto length = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(text[text.size() - 1 - tail])));
  return length > tail + 1 ? text.substr(0, text.size() - 1 - tail) : text;
}

std::string_view withoutSpaceBefore(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(whiteSpaceOfCalls), text.size()));
}

// Where a tag begins, also if only a part of it is there yet.
std::size_t beginningOf(std::string_view tag, std::string_view text) {
  const std::size_t at = tag.empty() ? std::string_view::npos : text.find(tag);
  return at != std::string_view::npos ? at : text.size() - beginningAtEnd(text, tag);
}

}  // namespace

void GrowingTags::read(std::string_view text, std::string& out) {
  while (step(text, out)) {
  }
}

// False if what follows is needed, or nothing is.
bool GrowingTags::step(std::string_view text, std::string& out) {
  switch (m_state) {
    case State::begin:
      out += "{";
      m_state = State::betweenParameters;
      return true;
    case State::betweenParameters: return parameterStep(text, out);
    case State::value: return valueStep(text, out);
    case State::text: return textStep(text, out);
    case State::afterText: return afterTextStep(text);
    case State::complete:
    case State::stopped: break;
  }
  return false;
}

bool GrowingTags::stop() {
  m_state = State::stopped;
  return false;
}

// The tag that begins a parameter, or the one that ends the function.
bool GrowingTags::parameterStep(std::string_view text, std::string& out) {
  const std::string_view rest = withoutSpaceBefore(text.substr(m_at));
  if (beginsWithPartOf(rest, m_tags.parameter) || beginsWithPartOf(rest, m_tags.endOfFunction)) return false;
  CallReader reader(rest);
  if (!m_tags.endOfFunction.empty() && reader.take(m_tags.endOfFunction)) {
    out += "}";
    m_told = m_at = text.size() - reader.rest().size();
    m_state = State::complete;
    return false;
  }
  if (!reader.take(m_tags.parameter)) return stop();
  const std::size_t end = reader.rest().find(m_tags.endOfName);
  if (end == std::string_view::npos && (!lineEndsName(m_tags) || !reader.rest().contains('\n'))) return false;
  std::string_view key;
  if (!takeNameInTag(reader, m_tags, key)) return stop();
  if (!m_tags.value.empty()) {
    reader.skipSpace();
    if (beginsWithPartOf(reader.rest(), m_tags.value)) return false;
    if (!reader.take(m_tags.value)) return stop();
  }
  m_key = key;
  m_isString = isString();
  m_hasBegun = false;
  m_toldOfValue = 0;
  m_at = text.size() - reader.rest().size();
  m_state = State::value;
  return true;
}

// Whether the value is a string whatever it looks like.
bool GrowingTags::isString() const {
  const std::size_t type = m_key.find(typeAfterName);
  if (type != std::string::npos) return m_key.substr(type + typeAfterName.size()) == "true";
  return isAlwaysString(m_tools, m_name, argumentInTags(m_key, {}).name);
}

void GrowingTags::tellName(std::string& out) {
  out += (m_hasMembers ? "," : "") + jsonString(argumentInTags(m_key, {}).name) + ":";
  m_hasBegun = m_hasMembers = true;
}

// The first closing tag that another tag follows, as takeValue() in calls_in_markup.cpp finds it.
GrowingTags::End GrowingTags::endOfValue(std::string_view rest) const {
  const std::array next{m_tags.parameter, m_tags.endOfFunction};
  End end{.certain = beginningOf(m_tags.endOfParameter, rest)};
  for (std::size_t at = rest.find(m_tags.endOfParameter); at != std::string_view::npos; at = rest.find(m_tags.endOfParameter, at + 1)) {
    const std::string_view after = withoutSpaceBefore(rest.substr(at + m_tags.endOfParameter.size()));
    if (std::ranges::any_of(next, [&](std::string_view tag) { return !tag.empty() && after.starts_with(tag); }))
      return {.at = at, .certain = 0};
    end.certain = at;
    if (std::ranges::any_of(next, [&](std::string_view tag) { return beginsWithPartOf(after, tag); })) break;
    const std::size_t from = at + m_tags.endOfParameter.size();
    end.certain = from + beginningOf(m_tags.endOfParameter, rest.substr(from));
  }
  for (const std::string_view tag : {m_tags.parameter, m_tags.endOfFunction, m_tags.value})
    end.certain = std::min(end.certain, beginningOf(tag, rest));
  return end;
}

bool GrowingTags::valueStep(std::string_view text, std::string& out) {
  const std::string_view rest = text.substr(m_at);
  if (!m_tags.openText.empty()) {
    CallReader reader(withoutSpaceBefore(rest));
    if (beginsWithPartOf(reader.rest(), m_tags.openText)) return false;
    if (reader.take(m_tags.openText)) {
      tellName(out);
      out += '"';
      m_at = text.size() - reader.rest().size();
      m_state = State::text;
      return true;
    }
  }
  const End end = endOfValue(rest);
  if (end.at == std::string_view::npos) {
    if (m_isString) tellString(rest.substr(0, end.certain), out);
    return false;
  }
  const std::string_view value = rest.substr(0, end.at);
  for (const std::string_view tag : {m_tags.parameter, m_tags.value})
    if (!tag.empty() && value.contains(tag)) return stop();
  tellRest(withoutLinesAround(value, m_tags.lines), out);
  m_told = m_at += end.at + m_tags.endOfParameter.size();
  m_state = State::betweenParameters;
  return true;
}

// Of a string, what is certain of it.
void GrowingTags::tellString(std::string_view certain, std::string& out) {
  const bool lineBefore = certain.starts_with('\n');
  if (m_tags.lines == Tags::Lines::both && lineBefore) return;  // the end tells whether that is part of it
  const bool each = m_tags.lines == Tags::Lines::each;
  const std::size_t skipped = each && lineBefore ? 1 : 0;
  std::string_view value = wholeCharacters(certain.substr(skipped));
  if (each && value.ends_with('\n')) value.remove_suffix(1);
  if (value.size() <= m_toldOfValue) return;
  if (!m_hasBegun) {
    tellName(out);
    out += '"';
  }
  out += betweenQuotes(value.substr(m_toldOfValue));
  m_toldOfValue = value.size();
  m_told = m_at + skipped + value.size();
}

void GrowingTags::tellRest(std::string_view value, std::string& out) {
  if (m_hasBegun) {
    out += betweenQuotes(value.substr(m_toldOfValue)) + '"';
    return;
  }
  ToolCall call{.name = m_name, .arguments = {argumentInTags(m_key, value)}, .text = {}};
  useDeclaredTypes(std::span(&call, 1), m_tools);
  tellName(out);
  out += call.arguments.front().json;
}

// A string between marks of its own.
bool GrowingTags::textStep(std::string_view text, std::string& out) {
  const std::string_view rest = text.substr(m_at);
  const std::size_t close = rest.find(m_tags.closeText);
  const std::string_view certain = wholeCharacters(rest.substr(0, beginningOf(m_tags.closeText, rest)));
  out += betweenQuotes(certain);
  m_told = m_at += certain.size();
  if (close == std::string_view::npos) return false;
  out += '"';
  m_told = m_at += m_tags.closeText.size();
  m_state = State::afterText;
  return true;
}

// The tag after such a string, which may be missing.
bool GrowingTags::afterTextStep(std::string_view text) {
  CallReader reader(withoutSpaceBefore(text.substr(m_at)));
  if (beginsWithPartOf(reader.rest(), m_tags.endOfParameter)) return false;
  if (reader.take(m_tags.endOfParameter)) m_told = m_at = text.size() - reader.rest().size();
  m_state = State::betweenParameters;
  return true;
}

}  // namespace minerva::text::calls
