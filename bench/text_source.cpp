#include "bench/text_source.h"

#include "bench/report.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

namespace minerva::bench {
namespace {

// Detected by content: a protocol buffer whose first field is a piece (SentencePiece's tokenizer.model).
bool isSentencePiece(const std::string& path) {
  if (std::filesystem::is_directory(path)) return false;
  std::ifstream in(path, std::ios::binary);
  return in.get() == 0x0A && in.get() != std::ifstream::traits_type::eof() && in.get() == 0x0A;
}

// Detected by content: a stand-alone JSON file such as tokenizer.json.
bool isJsonText(const std::string& path) {
  if (std::filesystem::is_directory(path)) return false;
  std::ifstream in(path, std::ios::binary);
  in >> std::ws;
  return in.peek() == '{';
}

// tokenizer_config.json in the same folder; null if it does not exist.
Result<nlohmann::json> configBeside(const std::string& path) {
  const auto beside = std::filesystem::path(path).parent_path() / "tokenizer_config.json";
  if (!std::filesystem::exists(beside)) return nlohmann::json();
  MINERVA_ASSIGN(const std::string text, readFile(beside.string()));
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

Result<std::string> readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open()) return fail({.kind = ErrorKind::notFound, .what = "The file cannot be read", .where = path});
  return bytes;
}

std::string readStdin() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

Result<std::vector<std::string>> linesOf(const std::string& path) {
  MINERVA_ASSIGN(const std::string all, path == "-" ? Result<std::string>(readStdin()) : readFile(path));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    std::string line = all.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

Result<TextSource> openTextSource(const std::string& path) {
  TextSource source;
  if (const bool json = isJsonText(path); json || isSentencePiece(path)) {
    MINERVA_ASSIGN(const std::string bytes, readFile(path));
    MINERVA_ASSIGN(const nlohmann::json config, configBeside(path));
    MINERVA_ASSIGN(source.tokenizer,
                   json ? text::createTokenizerFromJson(bytes, config) : text::createTokenizerFromSentencePiece(bytes, config));
    return source;
  }
  MINERVA_ASSIGN(source.file, format::ModelFile::open(path));
  MINERVA_ASSIGN(source.tokenizer, text::createTokenizer(*source.file));
  return source;
}

void answerLines(const std::function<Result<nlohmann::ordered_json>(const nlohmann::ordered_json&)>& answer) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    const auto request = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!request.is_object()) {
      printLine({{"error", "The line is not a JSON object"}});
      continue;
    }
    const Result<nlohmann::ordered_json> result = answer(request);
    printLine(result ? *result
                     : nlohmann::ordered_json{
                           {"error", result.error().message()}, {"kind", name(result.error().kind)}, {"what", result.error().what}});
  }
}

}  // namespace minerva::bench
