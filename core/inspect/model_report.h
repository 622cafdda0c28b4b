// Everything that can be said of a model from its header: what it is, what it holds, whether this build can run it and,
// if not, exactly why. Reads no weights. Safe on any thread.
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
  std::string architecture;             // the family's name, or what the file says of itself; "not said"
  std::string tokenizer, chatTemplate;  // one line each; "none"
  std::uint64_t parameters = 0, weightBytes = 0;
  std::map<std::string, std::uint64_t> bytesByType;  // "Q4_K" -> bytes of the weights
  std::map<std::string, std::uint64_t> bytesByPart;  // "attention", "feed_forward", "experts", "embedding", "head", "other"
  std::optional<model::ModelConfig> config;          // nothing: this model cannot run, see problems
  std::optional<model::Plan> plan;                   // likewise
  std::vector<Error> problems;                       // why it cannot run; empty: it can
  std::vector<std::string> warnings;

  [[nodiscard]] double bitsPerWeight() const {
    return parameters == 0 ? 0 : 8.0 * static_cast<double>(weightBytes) / static_cast<double>(parameters);
  }
};

// What the file says of itself, whether this build knows it or not; empty: nothing.
[[nodiscard]] std::string architectureOf(const format::ModelFile& file);

// Only a file that cannot be opened at all is an error here: of one that cannot run, the rest is worth seeing.
[[nodiscard]] Result<ModelReport> inspectModel(const std::filesystem::path& path);

}  // namespace minerva
