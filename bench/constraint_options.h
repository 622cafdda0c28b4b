// The format of a reply on the command line: a file with a grammar in GBNF, or with a JSON schema.
#pragma once

#include "core/engine/engine.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace minerva::bench {

struct ConstraintChoice {
  std::string grammar, schema;  // files; empty: none

  // Null without a file. Errors: io, those of the grammar or schema.
  [[nodiscard]] Result<std::shared_ptr<const grammar::Grammar>> read() const;
};

void addConstraintOptions(CLI::App& app, ConstraintChoice& choice);

}  // namespace minerva::bench
