// Runs minerva-bench as a separate process: arguments and stdin in, exit code, stdout and stderr out.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::tests {

struct Outcome {
  int code = -1;  // -1: did not exit normally
  std::string out, err;
  std::int64_t peakBytes = 0;  // peak resident memory
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
  [[nodiscard]] std::vector<nlohmann::json> lines() const;  // one JSON document per line
};

// output: where stdout goes instead of into the outcome.
[[nodiscard]] Outcome bench(const std::vector<std::string>& arguments, std::string_view input = {}, const char* output = nullptr);

// Path of a model of shape "test-tiny", created once per process in a temporary folder. type: "f16", "q4_0", ...
[[nodiscard]] std::string tinyModel(const std::string& type);
[[nodiscard]] std::filesystem::path temporaryFolder();

inline const std::filesystem::path goldenLlama = std::filesystem::path(MINERVA_TEST_DATA) / "golden" / "models" / "llama-gqa-bf16";

}  // namespace minerva::tests
