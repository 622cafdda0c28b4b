// Runs minerva-bench as a program of its own: arguments and stdin in, exit code, stdout and stderr out.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::tests {

struct Outcome {
  int code = -1;  // -1: it did not end by itself
  std::string out, err;
  std::int64_t peakBytes = 0;  // of resident memory
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
  [[nodiscard]] std::vector<nlohmann::json> lines() const;  // one JSON document a line
};

[[nodiscard]] Outcome bench(const std::vector<std::string>& arguments, std::string_view input = {});

// A model of shape "test-tiny", made once a process and kept in a temporary folder. type: "f16", "q4_0", ...
[[nodiscard]] std::string tinyModel(const std::string& type);
[[nodiscard]] std::filesystem::path temporaryFolder();

inline const std::filesystem::path goldenLlama = std::filesystem::path(MINERVA_TEST_DATA) / "golden" / "models" / "llama-gqa-bf16";

}  // namespace minerva::tests
