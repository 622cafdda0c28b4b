// Reads a schema into the nodes of a grammar. Used once; not for others than json_schema.cpp.
#pragma once

#include "core/grammar/json_schema.h"
#include "core/grammar/schema/json_text.h"
#include "core/grammar/schema/keywords.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace minerva::grammar {

[[nodiscard]] JsonTypes typeOf(const Json& value);
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
  SchemaReader(Rules& rules, const Json& root, std::string path, Inexpressible inexpressible)
      : m_rules(rules), m_json(rules), m_root(root), m_path(std::move(path)), m_lenient(inexpressible == Inexpressible::leftOut) {}

  [[nodiscard]] Result<NodeId> read();

 private:
  struct Count {
    std::uint32_t least = 0, most = unlimited;
  };

  // reader.cpp
  [[nodiscard]] Result<NodeId> value(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> lenientValue(Json schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> plainValue(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> reference(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> merged(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> alternatives(const Json& schema, const char* keyword, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> literals(const Json& schema, const std::string& path);
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
  [[nodiscard]] Result<bool> disjoint(const Json& a, const Json& b, const std::string& path, int depth);

  // object.cpp, array.cpp
  [[nodiscard]] Result<NodeId> object(const Json& schema, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> openMember(const Json& schema, const Json& properties, const std::string& path, int depth);
  [[nodiscard]] Result<NodeId> array(const Json& schema, const std::string& path, int depth);

  // scalar.cpp
  [[nodiscard]] Result<NodeId> string(const Json& schema, const std::string& path);
  [[nodiscard]] Result<NodeId> integer(const Json& schema, const std::string& path);
  [[nodiscard]] Result<NodeId> number(const Json& schema, const std::string& path);

  Rules& m_rules;
  JsonText m_json;
  const Json& m_root;
  std::string m_path;
  const bool m_lenient;
  std::map<std::string, RuleId> m_references;  // by JSON pointer
  std::map<std::string, RuleId> m_merged;      // by the merged schema's text: recursion ends where the same one comes again
  std::size_t m_steps = 0;
};

}  // namespace minerva::grammar
