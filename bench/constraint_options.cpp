#include "bench/constraint_options.h"

#include "core/grammar/gbnf.h"
#include "core/grammar/json_schema.h"
#include "core/serve/parse_json.h"

#include <fstream>
#include <iterator>

namespace minerva::bench {
namespace {

Result<std::string> constraintText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.good() || file.eof()) return text;
  return fail({.kind = ErrorKind::io, .what = "The file cannot be read", .where = path});
}

// Errors of the text itself also name the file.
Error inFile(Error error, const std::string& path) {
  error.where = path + ", " + error.where;
  return error;
}

}  // namespace

Result<std::shared_ptr<const grammar::Grammar>> ConstraintChoice::read() const {
  if (grammar.empty() && schema.empty()) return nullptr;
  const std::string& path = grammar.empty() ? schema : grammar;
  MINERVA_ASSIGN(const std::string text, constraintText(path));
  Result<std::shared_ptr<const grammar::Grammar>> made;
  if (!grammar.empty()) {
    made = grammar::parseGbnf(text);
  } else {
    const Result<serve::Json> json = serve::parseJson(text, {});  // with its limits, though the file is the user's own
    made = json ? grammar::jsonSchemaGrammar(*json, "schema") : fail(json.error());
  }
  if (!made) return fail(inFile(std::move(made.error()), path));
  return made;
}

void addConstraintOptions(CLI::App& app, ConstraintChoice& choice) {
  CLI::Option* grammar =
      app.add_option("--grammar", choice.grammar, "File with a grammar (GBNF) that the answer follows")->check(CLI::ExistingFile);
  app.add_option("--json-schema", choice.schema, "File with a JSON schema that the answer fulfils")
      ->check(CLI::ExistingFile)
      ->excludes(grammar);
}

}  // namespace minerva::bench
