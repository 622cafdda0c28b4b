// tekken.json and tiktoken.model of small vocabularies.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

inline std::string toBase64(std::string_view bytes) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : alphabet[bits >> (18 - 6 * j) & 63];
  }
  return out;
}

// All bytes, then `tokens`.
inline std::vector<std::string> ranked(const std::vector<std::string>& tokens) {
  std::vector<std::string> all;
  for (int byte = 0; byte < 256; ++byte) all.emplace_back(1, static_cast<char>(byte));
  all.insert(all.end(), tokens.begin(), tokens.end());
  return all;
}

inline nlohmann::json tekkenFile(const std::vector<std::string>& ranks, std::size_t specials, std::string_view pattern) {
  nlohmann::json file = {{"config",
                          {{"pattern", pattern},
                           {"num_vocab_tokens", ranks.size() + 7},
                           {"default_vocab_size", ranks.size() + specials},
                           {"default_num_special_tokens", specials},
                           {"version", "v11"}}},
                         {"vocab", nlohmann::json::array()},
                         {"special_tokens", nlohmann::json::array()}};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    file["vocab"].push_back({{"rank", rank}, {"token_bytes", toBase64(ranks[rank])}, {"token_str", nullptr}});
  for (const char* name : {"<unk>", "<s>", "</s>", "[INST]", "[/INST]"})
    file["special_tokens"].push_back({{"rank", file["special_tokens"].size()}, {"token_str", name}, {"is_control", true}});
  return file;
}

inline std::string tiktokenModel(const std::vector<std::string>& ranks) {
  std::string text;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) text += toBase64(ranks[rank]) + " " + std::to_string(rank) + "\n";
  return text;
}

}  // namespace minerva::text
