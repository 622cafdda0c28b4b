// JSON schema as a grammar of JSON texts: every text of the grammar fulfils the schema.
//
// Drafts 4 to 2020-12 and OpenAPI's nullable, as far as schema/keywords.cpp says; what cannot be expressed is an error that names the
// keyword by its path. Members come in the order of the schema. Where a schema leaves it open, an object with properties has no others,
// and an array with prefixItems ends with them. White space is bounded: after { [ , and : and before } and ].
#pragma once

#include "core/base/error.h"
#include "core/grammar/grammar.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace minerva::grammar {

using Json = nlohmann::ordered_json;  // keeps the order of properties

// What becomes of keywords that cannot be expressed, or are not known.
enum class Inexpressible {
  refused,
  leftOut,  // the text may then be more than the schema allows; oneOf is anyOf
};

// path: of the schema in the request, for errors. Errors: unsupported (a keyword), invalidArgument (a malformed schema, or one that
// nothing fulfils), limit.
[[nodiscard]] Result<std::shared_ptr<const Grammar>> jsonSchemaGrammar(const Json& schema, const std::string& path,
                                                                       Inexpressible inexpressible = Inexpressible::refused);
// Any object.
[[nodiscard]] Result<std::shared_ptr<const Grammar>> jsonObjectGrammar();
// The same as a node of rules that are being built.
[[nodiscard]] Result<NodeId> addJsonSchema(Rules& rules, const Json& schema, const std::string& path,
                                           Inexpressible inexpressible = Inexpressible::refused);

}  // namespace minerva::grammar
