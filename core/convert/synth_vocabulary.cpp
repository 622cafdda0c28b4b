#include "core/convert/synth_vocabulary.h"

#include <nlohmann/json.hpp>

namespace minerva::convert {

namespace {

constexpr std::int32_t typeNormal = 1;
constexpr std::int32_t typeControl = 3;

// GPT-2's alphabet: printable bytes of Latin-1 stand for themselves, the others for U+0100 and on, in order.
std::vector<std::string> byteAlphabet() {
  std::vector<std::string> out;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    const unsigned point = printable ? byte : next++;
    std::string text;
    if (point < 0x80) text = static_cast<char>(point);
    else text = {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
    out.push_back(text);
  }
  return out;
}

}  // namespace

SynthVocabulary synthVocabulary(int size) {
  SynthVocabulary out;
  out.tokens = byteAlphabet();
  const std::string space = out.tokens[' '];
  const std::string letters = "etaoinshrdlucmfwypvbgkjqxz";
  const auto limit = static_cast<std::size_t>(size) - 2;
  const auto merge = [&](const std::string& left, const std::string& right) {
    if (out.tokens.size() >= limit) return;
    out.merges.push_back(left + " " + right);
    out.tokens.push_back(left + right);
  };
  for (const char letter : letters) merge(space, std::string(1, letter));
  std::vector<std::string> pairs;
  for (const char first : letters) {
    for (const char second : letters) pairs.push_back({first, second});
  }
  for (const std::string& pair : pairs) merge(pair.substr(0, 1), pair.substr(1));
  for (const std::string& pair : pairs) {
    for (const char letter : letters) merge(space + letter, pair);
  }
  for (std::size_t i = 0; i < pairs.size() * pairs.size(); ++i) merge(pairs[i / pairs.size()], pairs[i % pairs.size()]);
  out.tokenTypes.assign(out.tokens.size(), typeNormal);
  for (const char* name : {"<|begin_of_text|>", "<|end_of_text|>"}) {
    out.tokens.emplace_back(name);
    out.tokenTypes.push_back(typeControl);
  }
  out.bos = static_cast<std::uint32_t>(limit);
  out.eos = static_cast<std::uint32_t>(limit + 1);
  out.chatTemplate =
      "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}{% if add_generation_prompt "
      "%}assistant:{% endif %}";
  return out;
}

std::string tokenizerJson(const SynthVocabulary& vocabulary) {
  using Json = nlohmann::ordered_json;
  Json vocab = Json::object();
  // ordered_json looks every new key up from the front; the pairs are unique by construction.
  auto& entries = vocab.get_ref<Json::object_t&>();
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i) {
    static_cast<std::vector<std::pair<const std::string, Json>>&>(entries).emplace_back(vocabulary.tokens[i], i);
  }
  Json added = Json::array();
  for (const std::uint32_t id : {vocabulary.bos, vocabulary.eos}) {
    added.push_back({{"id", id},
                     {"content", vocabulary.tokens[id]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  const Json byteLevel = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  const Json json = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", added},
                     {"normalizer", nullptr},
                     {"pre_tokenizer", byteLevel},
                     {"post_processor", nullptr},
                     {"decoder", byteLevel},
                     {"model",
                      {{"type", "BPE"},
                       {"dropout", nullptr},
                       {"unk_token", nullptr},
                       {"continuing_subword_prefix", nullptr},
                       {"end_of_word_suffix", nullptr},
                       {"fuse_unk", false},
                       {"byte_fallback", false},
                       {"vocab", vocab},
                       {"merges", vocabulary.merges}}}};
  return json.dump();
}

}  // namespace minerva::convert
