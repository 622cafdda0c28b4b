#include "core/serve/format_fields.h"

#include "core/grammar/gbnf.h"
#include "core/grammar/json_schema.h"
#include "core/grammar/whole_text.h"
#include "core/serve/fields.h"

#include <algorithm>
#include <array>

namespace minerva::serve {
namespace {

constexpr std::size_t grammarsKept = 8, longestKey = 64u << 10;

using Pointer = Grammars::Pointer;
using grammar::Inexpressible;

Result<Pointer> schemaGrammar(const Json& schema, const std::string& path, Grammars& grammars,
                              Inexpressible what = Inexpressible::leftOut) {
  const char* kind = what == Inexpressible::refused ? "schema " : "schema, as far as it can be followed, ";
  return grammars.get(kind + written(schema), [&] { return grammar::jsonSchemaGrammar(schema, path, what); });
}

Result<Pointer> anyObject(Grammars& grammars) {
  return grammars.get("object", [] { return grammar::jsonObjectGrammar(); });
}

// {"type": "json_schema", "json_schema": {"name", "schema", "strict"}}; llama-server also takes the schema beside the type. What cannot be
// expressed is left out, as OpenAI has it: only with `strict` a schema is followed exactly or refused. The other fields have no `strict`.
Result<Pointer> ofResponseFormat(const Json& format, Grammars& grammars) {
  if (!format.is_object() || !format.contains("type") || !format["type"].is_string())
    return wrongField("response_format", "an object with a type", format.type_name());
  const auto& type = format["type"].get_ref<const std::string&>();
  const Json* schema = present(format, "schema");
  if (type == "text") return Pointer();
  if (type == "json_object") return schema != nullptr ? schemaGrammar(*schema, "response_format.schema", grammars) : anyObject(grammars);
  if (type != "json_schema") {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This server does not know the format of the reply",
                 .where = "response_format.type",
                 .expected = "text, json_object or json_schema",
                 .actual = type.substr(0, 60)});
  }
  const Json* named = present(format, "json_schema");
  if (named == nullptr && schema != nullptr) return schemaGrammar(*schema, "response_format.schema", grammars);
  if (named == nullptr || !named->is_object())
    return wrongField("response_format.json_schema", "an object with a schema", named == nullptr ? "none" : named->type_name());
  const Json* inner = present(*named, "schema");
  if (inner == nullptr) return wrongField("response_format.json_schema.schema", "a JSON schema", "none");
  const Json* strict = present(*named, "strict");
  if (strict != nullptr && !strict->is_boolean())
    return wrongField("response_format.json_schema.strict", "true or false", strict->type_name());
  const bool exactly = strict != nullptr && *strict == true;
  return schemaGrammar(*inner, "response_format.json_schema.schema", grammars, exactly ? Inexpressible::refused : Inexpressible::leftOut);
}

// Clients send schemas also as text.
Result<Pointer> ofSchemaField(const Json& value, const std::string& field, Grammars& grammars) {
  if (!value.is_string()) return schemaGrammar(value, field, grammars);
  const Result<Json> parsed = parseJson(value.get_ref<const std::string&>(), Limits{});  // its depth has not been checked yet
  if (!parsed) return wrongField(field, "a JSON schema", parsed.error().actual.empty() ? "text that is not JSON" : parsed.error().actual);
  return schemaGrammar(*parsed, field, grammars);
}

Error atField(Error error, const std::string& field) {
  if (!error.where.empty()) error.actual += " (" + error.where + ")";
  error.where = field;
  return error;
}

Result<Pointer> ofGrammarField(const Json& value, const std::string& field, Grammars& grammars) {
  if (!value.is_string()) return wrongField(field, "a grammar in GBNF", value.type_name());
  const auto& text = value.get_ref<const std::string&>();
  Result<Pointer> made = grammars.get("gbnf " + text, [&] { return grammar::parseGbnf(text); });
  if (made) return made;
  return fail(atField(std::move(made.error()), field));
}

Result<Pointer> ofPatternField(const Json& value, const std::string& field, Grammars& grammars) {
  if (!value.is_string()) return wrongField(field, "a regular expression", value.type_name());
  const auto& text = value.get_ref<const std::string&>();
  Result<Pointer> made = grammars.get("pattern " + text, [&] { return grammar::patternGrammar(text); });
  if (made) return made;
  return fail(atField(std::move(made.error()), field));
}

Result<Pointer> ofChoiceField(const Json& value, const std::string& field, Grammars& grammars) {
  std::vector<std::string> texts;
  for (const Json& one : value.is_array() ? value : Json::array())
    if (one.is_string() && one != "") texts.push_back(one.get<std::string>());
  if (!value.is_array() || texts.size() != value.size() || texts.empty())
    return wrongField(field, "an array of texts, none of them empty", written(value).substr(0, 60));
  return grammars.get("choice " + written(value), [&] { return grammar::choiceGrammar(texts); });
}

Result<Pointer> ofGuide(const std::string& kind, const Json& value, const std::string& field, Grammars& grammars) {
  if (kind == "json") return ofSchemaField(value, field, grammars);
  if (kind == "regex") return ofPatternField(value, field, grammars);
  if (kind == "choice") return ofChoiceField(value, field, grammars);
  if (kind == "grammar") return ofGrammarField(value, field, grammars);
  if (kind == "json_object" && value == true) return anyObject(grammars);
  return notServed(field, "json, regex, choice, grammar or json_object: true", written(value).substr(0, 60));
}

// vLLM's successor of its fields guided_...: one of them as a member.
Result<Pointer> ofStructuredOutputs(const Json& value, Grammars& grammars) {
  if (!value.is_object()) return wrongField("structured_outputs", "an object with json, regex, choice or grammar", value.type_name());
  Pointer made;
  for (const auto& [kind, guide] : value.items()) {
    if (guide.is_null() || guide == false) continue;
    const std::string field = "structured_outputs." + kind.substr(0, 60);
    MINERVA_ASSIGN(Pointer one, ofGuide(kind, guide, field, grammars));
    if (made != nullptr) return wrongField(field, "one format of the reply, not another beside it", "two");
    made = std::move(one);
  }
  return made;
}

struct FormatField {
  const char* name;
  const char* guide;  // a kind of ofGuide(); empty: read in its own way
};
constexpr std::array<FormatField, 8> formatFields{{{"response_format", ""},
                                                   {"json_schema", "json"},
                                                   {"grammar", "grammar"},
                                                   {"guided_json", "json"},
                                                   {"guided_regex", "regex"},
                                                   {"guided_choice", "choice"},
                                                   {"guided_grammar", "grammar"},
                                                   {"structured_outputs", ""}}};

Result<Pointer> ofField(const FormatField& field, const Json& value, Grammars& grammars) {
  const std::string name = field.name;
  if (name == "response_format") return ofResponseFormat(value, grammars);
  if (name == "structured_outputs") return ofStructuredOutputs(value, grammars);
  return ofGuide(field.guide, value, name, grammars);
}

}  // namespace

Result<Pointer> Grammars::get(const std::string& key, const std::function<Result<Pointer>()>& make) {
  if (key.size() > longestKey) return make();
  {
    const std::scoped_lock lock(m_mutex);
    const auto found = std::ranges::find(m_kept, key, &std::pair<std::string, Pointer>::first);
    if (found != m_kept.end()) {
      m_kept.splice(m_kept.begin(), m_kept, found);
      return found->second;
    }
  }
  MINERVA_ASSIGN(Pointer made, make());
  const std::scoped_lock lock(m_mutex);
  m_kept.emplace_front(key, made);
  if (m_kept.size() > grammarsKept) m_kept.pop_back();
  return made;
}

Result<void> readFormat(const Json& body, Grammars& grammars, engine::Request& request) {
  const char* before = nullptr;
  for (const FormatField& field : formatFields) {
    const Json* value = present(body, field.name);
    if (value == nullptr || (value->is_string() && value->get_ref<const std::string&>().empty())) continue;
    Result<Pointer> made = ofField(field, *value, grammars);
    if (!made) return fail(std::move(made.error()));
    if (*made == nullptr) continue;
    if (before != nullptr) return wrongField(field.name, std::string("one format of the reply, not another beside ") + before, "two");
    before = field.name;
    request.constraint = std::move(*made);
  }
  return {};
}

Result<void> readOllamaFormat(const Json& body, Grammars& grammars, engine::Request& request) {
  const Json* format = present(body, "format");
  if (format == nullptr || *format == "") return {};
  if (format->is_string() && *format != "json")
    return wrongField("format", "\"json\" or a JSON schema", format->get<std::string>().substr(0, 60));
  Result<Pointer> made = format->is_string() ? anyObject(grammars) : schemaGrammar(*format, "format", grammars);
  if (!made) return fail(std::move(made.error()));
  request.constraint = std::move(*made);
  return {};
}

}  // namespace minerva::serve
