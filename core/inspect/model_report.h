// Everything known about a model from its header: properties, contents, and whether this build can run it or the exact
// reasons why not. Reads no weights. Thread-safe.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"
#include "core/model/plan.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minerva {

struct ModelReport {
  std::unique_ptr<const format::ModelFile> file;
  std::string name;
  std::string architecture;             // the family's name, or the file's architecture name; "not stated" if it has none
  std::string tokenizer, chatTemplate;  // one-line descriptions; "none" if missing
  std::uint64_t parameters = 0, weightBytes = 0;
  std::map<std::string, std::uint64_t> bytesByType;  // weight bytes by element type, such as "Q4_K"
  std::map<std::string, std::uint64_t> bytesByPart;  // "attention", "feed_forward", "experts", "embedding", "head", "other"
  std::optional<model::ModelConfig> config;          // nullopt if the model cannot run, see problems
  std::optional<model::Plan> plan;                   // nullopt if the model cannot run, see problems
  std::vector<Error> problems;                       // why the model cannot run; empty if it can
  std::vector<std::string> warnings;

  [[nodiscard]] double bitsPerWeight() const {
    return parameters == 0 ? 0 : 8.0 * static_cast<double>(weightBytes) / static_cast<double>(parameters);
  }
};

// The architecture name stored in the file, supported or not; empty if it has none.
[[nodiscard]] std::string architectureOf(const format::ModelFile& file);

// Fails only if the file cannot be opened. A model that cannot run still gets a report, with `problems`.
[[nodiscard]] Result<ModelReport> inspectModel(const std::filesystem::path& path);

}  // namespace minerva
