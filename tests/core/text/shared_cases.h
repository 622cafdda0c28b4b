// The tokenizers' reference cases: opening vocabularies, reading JSONL, counting results.
#pragma once

#include "core/format/model_file.h"
#include "core/text/tokenizer.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text::cases {

// "spm/files", "tokenize/gpt-2.jsonl", ...
inline std::filesystem::path tokens(const std::string& part) { return tests::referenceData("tokens/" + part); }

inline std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Vocabulary-only GGUF files. The repository contains gpt-2's; the others are only in ../shared.
inline std::filesystem::path packedVocab(const std::string& name) { return tokens("vocab/" + name + ".gguf.gz"); }
inline bool hasVocab(const std::string& name) { return std::filesystem::exists(packedVocab(name)); }

struct Vocab {
  std::unique_ptr<const format::ModelFile> file;
  std::unique_ptr<const Tokenizer> tokenizer;
};
// Decompressed once into the temporary folder.
inline std::filesystem::path unpackedVocab(const std::string& name) {
  const auto packed = packedVocab(name);
  const auto folder = std::filesystem::temp_directory_path() / "minerva-test-vocab";
  std::filesystem::create_directories(folder);
  const auto unpacked = folder / (name + ".gguf");
  if (!std::filesystem::exists(unpacked)) {
    const auto partial =
        unpacked.string() + "." + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + std::to_string(std::rand());
    const std::string command = "gzip -dc '" + packed.string() + "' > '" + partial + "'";
    if (std::system(command.c_str()) != 0) return {};
    std::filesystem::rename(partial, unpacked);
  }
  return unpacked;
}
inline Vocab openVocab(const std::string& name) {
  Vocab vocab;
  auto file = format::ModelFile::open(unpackedVocab(name));
  EXPECT_TRUE(file) << (file ? "" : file.error().message());
  if (!file) return vocab;
  vocab.file = std::move(*file);
  auto tokenizer = createTokenizer(*vocab.file);
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message());
  if (tokenizer) vocab.tokenizer = std::move(*tokenizer);
  return vocab;
}

// One JSON object per line.
inline std::vector<nlohmann::json> readRows(const std::filesystem::path& path) {
  std::vector<nlohmann::json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

inline std::string fromBase64(std::string_view text) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | static_cast<unsigned>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>(bits >> held & 0xFF));
    }
  }
  return out;
}
// The bytes of key `name`, or the base64-decoded ones of `name`_b64.
inline std::string bytesOf(const nlohmann::json& row, const std::string& name) {
  return row.contains(name) ? row[name].get<std::string>() : fromBase64(row.at(name + "_b64").get<std::string>());
}

// Counts rows, prints the first failures and the total.
class Score {
 public:
  explicit Score(std::string name) : m_name(std::move(name)) {}
  void count(bool passed, const nlohmann::json& row, const std::string& got) {
    ++m_total;
    if (passed) {
      ++m_passed;
    } else if (++m_shown <= 5) {
      ADD_FAILURE() << m_name << ": " << row.dump() << "\n  got " << got;
    }
  }
  ~Score() {
    std::cout << m_name << ": " << m_passed << " / " << m_total << '\n';
    EXPECT_GT(m_total, 0) << m_name;
    EXPECT_EQ(m_passed, m_total) << m_name;
  }

 private:
  std::string m_name;
  int m_passed = 0, m_total = 0, m_shown = 0;
};

inline std::string show(const std::vector<TokenId>& ids) { return nlohmann::json(ids).dump(); }

}  // namespace minerva::text::cases
