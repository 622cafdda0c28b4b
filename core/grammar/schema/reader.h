// Reads a schema into the nodes of a grammar. Used once; not for others than json_schema.cpp.
#pragma once

#include "core/grammar/json_schema.h"
#include "core/grammar/limits.h"
#include "core/grammar/schema/json_text.h"
#include "core/grammar/schema/keywords.h"
#include "core/grammar/schema/language.h"
#include "core/grammar/schema/regex.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace minerva::grammar {

[[nodiscard]] JsonTypes typeOf(const Json& value);
// As the later drafts write it; nothing, if it is so already. Draft 4 has true and false in exclusiveMinimum and exclusiveMaximum.
[[nodiscard]] std::optional<Json> inLaterDraft(const Json& schema);
// Without keywords that say nothing, and with the usual names of types; nothing, if it is so already. For what need not be followed
// exactly.
[[nodiscard]] std::optional<Json> lenientForm(const Json& schema);
// Null if the keyword is missing.
[[nodiscard]] const Json* keyword(const Json& schema, const char* name);
// By `not` and a schema that everything fulfils, as some clients write `false`.
[[nodiscard]] bool forbidsEverything(const Json& schema);
[[nodiscard]] std::unexpected<Error> badSchema(const std::string& path, const std::string& expected, const std::string& actual);
[[nodiscard]] std::unexpected<Error> notExpressible(const std::string& path, const std::string& why);
// A member's place in a path.
[[nodiscard]] std::string below(const std::string& path, const std::string& name);

class SchemaReader {
 public:
  // mends: properties that are demanded, but cannot be, may have any value, or are not demanded.
  SchemaReader(Rules& rules, const Json& root, std::string path, Inexpressible inexpressible, bool mends = false)
      : m_rules(rules),
        m_json(rules),
        m_root(root),
        m_path(std::move(path)),
        m_lenient(inexpressible == Inexpressible::leftOut),
        m_mends(mends) {}

  [[nodiscard]] Result<NodeId> read();
  // The first property that is demanded, but that nothing fulfils; empty: none was seen.
  [[nodiscard]] const std::string& unfulfilled() const { return m_unfulfilled; }

 private:
  struct Count {
    std::uint32_t least = 0, most = unlimited;
  };
  // Of a pattern or format, and where it is given.
  struct Expression {
    Regex regex;
    std::string path;
    std::string format;  // empty: of a pattern
  };
  // What the names of an object's members may be: only those of a list, or those of a language.
  struct Names {
    std::optional<std::vector<std::string>> list;
    std::optional<Language> language;
    [[nodiscard]] bool have(const std::string& name) const;
  };
  // Of patternProperties.
  struct NamedByPattern {
    Language names;
    const Json* schema;
    std::string path;
  };

  // reader.cpp, lenient.cpp
  [[nodiscard]] Result<NodeId> value(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> lenientValue(Json schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> plainValue(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> reference(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> merged(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> alternatives(const Json& schema, const char* keyword, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> literals(const Json& schema, const std::string& path);
  // Those values of enum or const that the keywords beside allow.
  [[nodiscard]] Result<std::vector<Json>> literalsOf(const Json& schema, const std::string& path);
  [[nodiscard]] Result<NodeId> ofType(JsonTypes type, const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<void> checkKeywords(const Json& schema, const std::string& path);
  [[nodiscard]] Result<JsonTypes> typesOf(const Json& schema, const std::string& path);
  [[nodiscard]] Result<bool> literalFits(const Json& literal, const Json& schema, const std::string& path);
  [[nodiscard]] Result<Count> count(const Json& schema, const char* least, const char* most, const std::string& path);
  [[nodiscard]] Result<void> spend(std::size_t steps);

  // merge.cpp
  [[nodiscard]] Result<const Json*> target(const Json& schema, const std::string& path);
  // The schema without $ref and allOf at its top: all that holds is in its own keywords.
  [[nodiscard]] Result<Json> resolved(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<Json> both(const Json& a, const Json& b, const std::string& path);
  [[nodiscard]] Result<Json> bothOf(const std::string& keyword, const Json& a, const Json& b, const std::string& path);

  // one_of.cpp
  // The alternatives of oneOf, so that no text of one fulfils another.
  [[nodiscard]] Result<std::vector<Json>> toldApart(std::vector<Json> whole, const Json& schema, const std::string& path);
  [[nodiscard]] Result<std::string> tagOf(const std::vector<Json>& resolved, const Json& schema, const std::string& path);
  [[nodiscard]] Result<bool> disjoint(const Json& a, const Json& b, const std::string& path, int depth);
  [[nodiscard]] Result<bool> writtenApart(const Json& a, const Json& b, const std::string& path);

  // object.cpp, names.cpp, array.cpp
  struct Member;
  struct ObjectParts;
  [[nodiscard]] Result<NodeId> object(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<ObjectParts> objectParts(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> memberLists(const std::vector<Member>& members, std::optional<NodeId> open, Count count,
                                           const std::string& path);
  [[nodiscard]] Result<Names> namesOf(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<std::vector<NamedByPattern>> namedByPattern(const Json& schema, const std::string& path);
  [[nodiscard]] Result<std::optional<NodeId>> openMember(const ObjectParts& parts, const std::string& path, int depth);
  [[nodiscard]] Result<void> addOpen(const ObjectParts& parts, const Language& names, std::size_t pattern, Json schemas,
                                     std::vector<NodeId>& ways, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> array(const Json& schema, const std::string& path, int depth);

  // string.cpp
  [[nodiscard]] Result<NodeId> string(const Json& schema, const std::string& path);
  [[nodiscard]] Result<std::vector<Expression>> expressions(const Json& schema, const std::string& path);
  [[nodiscard]] Result<NodeId> restrictedString(std::vector<Expression> all, Count count, const std::string& path);
  [[nodiscard]] static Result<bool> simplifyFormats(std::vector<Expression>& all);
  [[nodiscard]] std::optional<NodeId> plainString(Regex regex, Count count);
  [[nodiscard]] Result<std::vector<Language>> languagesOf(std::vector<Expression>& expressions);
  [[nodiscard]] Result<Language> textsOf(std::vector<Expression>& expressions, Count count, const std::string& path);
  [[nodiscard]] Result<Language> texts(const Json& schema, const std::string& path);

  // number.cpp
  [[nodiscard]] Result<NodeId> integer(const Json& schema, const std::string& path);
  [[nodiscard]] Result<NodeId> number(const Json& schema, const std::string& path);
  [[nodiscard]] Result<NodeId> multiples(std::int64_t step, std::size_t decimals, NodeId node, const Rules& numbers,
                                         const std::string& path);

  Rules& m_rules;
  JsonText m_json;
  const Json& m_root;
  std::string m_path;
  const bool m_lenient, m_mends;
  std::string m_unfulfilled;
  std::map<std::string, RuleId> m_references;  // by JSON pointer
  std::map<std::string, RuleId> m_merged;      // by the merged schema's text: recursion ends where the same one comes again
  std::map<std::string, RuleId> m_strings;     // by their keywords
  LanguageBudget m_budget{limits::languageSteps};
  std::size_t m_steps = 0;
};

}  // namespace minerva::grammar
