#include "tests/support/oracle.h"

#include "core/base/mapped_file.h"
#include "core/tensor/element_type.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace minerva::tests {
namespace {

nlohmann::json readJson(const std::filesystem::path& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in, nullptr, false);
}

double largestOf(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  double largest = 0;
  if (value.is_array()) {
    for (const auto& entry : value) largest = std::max(largest, largestOf(entry));
  }
  return largest;
}

OracleCase caseOf(const nlohmann::json& entry, const std::filesystem::path& root) {
  OracleCase c;
  c.id = entry.value("id", "");
  c.family = entry.value("family", "");
  c.format = entry.value("format", "");
  c.type = entry.value("type", "");
  c.model = root / entry.value("path", "");
  c.reference = root / entry.value("reference", "");
  c.greedy = entry.value("greedy_tokens", std::vector<std::int32_t>{});
  c.llamaCppMaxDifference = largestOf(entry.value("llama_cpp_max_diff", nlohmann::json()));
  const nlohmann::json greedy = entry.contains("greedy") ? readJson(root / entry["greedy"].get<std::string>()) : nlohmann::json();
  if (greedy.is_object() && greedy.value("tokens", std::vector<std::int32_t>{}) == c.greedy) {
    c.margins = greedy.value("margins", std::vector<double>{});
  } else if (entry.contains("greedy_min_margin")) {
    c.margins = {entry["greedy_min_margin"].get<double>()};
  }
  return c;
}

// llama-quantize names its mixes after their main type: Q4_K_M, Q3_K_S.
bool typeIsBuilt(std::string type) {
  if (findElementType(type) != nullptr) return true;
  return type.size() > 2 && type[type.size() - 2] == '_' && findElementType(type.substr(0, type.size() - 2)) != nullptr;
}

}  // namespace

std::vector<OracleCase> oracleCases(const std::filesystem::path& root) {
  std::vector<OracleCase> cases;
  const nlohmann::json manifest = readJson(root / "manifest.json");
  if (!manifest.is_object()) return cases;
  for (const auto& entry : manifest.value("cases", nlohmann::json::array())) cases.push_back(caseOf(entry, root));
  return cases;
}

std::vector<OracleCase> supportedCases(const std::vector<OracleCase>& all, const std::vector<std::string>& families) {
  std::vector<OracleCase> wanted;
  for (const OracleCase& c : all) {
    if (c.format == "mlx" || std::ranges::find(families, c.family) == families.end() || !typeIsBuilt(c.type)) continue;
    wanted.push_back(c);
  }
  return wanted;
}

Result<std::vector<OraclePrompt>> oraclePrompts(const std::filesystem::path& reference) {
  MINERVA_ASSIGN(const MappedFile file, MappedFile::open(reference));
  const std::span<const std::byte> bytes = file.bytes();
  std::uint64_t headerSize = 0;
  std::memcpy(&headerSize, bytes.data(), sizeof headerSize);
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + 8;
  const nlohmann::json header = nlohmann::json::parse(text, text + headerSize, nullptr, false);
  const auto data = [&](const std::string& name, auto& values) {
    const std::size_t begin = header[name]["data_offsets"][0];
    const std::size_t end = header[name]["data_offsets"][1];
    values.resize((end - begin) / sizeof values[0]);
    std::memcpy(values.data(), bytes.data() + 8 + headerSize + begin, end - begin);
  };
  std::vector<OraclePrompt> prompts;
  while (header.is_object() && header.contains("p" + std::to_string(prompts.size()) + ".logits")) {
    const std::string name = "p" + std::to_string(prompts.size());
    OraclePrompt prompt;
    data(name + ".tokens", prompt.tokens);
    data(name + ".logits", prompt.logits);
    prompts.push_back(std::move(prompt));
  }
  if (prompts.empty()) return fail({.kind = ErrorKind::corrupt, .what = "No reference logits", .where = reference.string()});
  return prompts;
}

}  // namespace minerva::tests
