#include "core/text/sources/gguf_merges.h"

#include "core/base/utf8.h"

#include <unordered_map>

namespace minerva::text {
namespace {

constexpr const char* mergesKey = "tokenizer.ggml.merges";
constexpr std::size_t perStray = 10;  // of so many merges, one may name a token that is not there; more are of another vocabulary

std::unexpected<Error> corruptMerge(std::size_t rank, const std::string& what, std::string expected, std::string_view line) {
  return fail({ErrorKind::corrupt, "merge " + std::to_string(rank) + what, mergesKey, std::move(expected),
               "'" + utf8::replaceBroken(line.substr(0, 60)) + "'", ""});
}

}  // namespace

Error missingGgufKey(const char* key) {
  return {ErrorKind::notFound, "the file has no complete tokenizer",          key, "this key",
          "nothing",           "Convert the model again, with its tokenizer."};
}

Result<MergeTable> readGgufMerges(const format::Metadata& metadata, const Vocabulary& vocabulary, std::vector<std::string>& warnings) {
  MINERVA_ASSIGN(const auto lines, metadata.strings(mergesKey));
  if (!lines) return fail(missingGgufKey(mergesKey));
  std::unordered_map<std::string, TokenId> absent;  // made by earlier merges
  const auto find = [&](const std::string& text) {
    if (const TokenId id = vocabulary.find(text); id != noToken) return id;
    const auto found = absent.find(text);
    return found == absent.end() ? noToken : found->second;
  };
  MergeTable merges;
  merges.reserve(lines->size());
  std::size_t strays = 0;
  std::string stray;  // one of them
  for (std::size_t rank = 0; rank < lines->size(); ++rank) {
    const std::string_view line = (*lines)[rank];
    const std::size_t space = line.find(' ', 1);
    if (line.empty() || space == std::string_view::npos || space + 1 == line.size())
      return corruptMerge(rank, " is not two tokens separated by a space", "'left right'", line);
    const std::string left(line.substr(0, space)), right(line.substr(space + 1)), joined = left + right;
    Merge merge{find(left), find(right), static_cast<std::uint32_t>(rank), find(joined)};
    const bool whole = merge.left != noToken && merge.right != noToken;
    if (!whole || merge.result == noToken) {
      stray = line;
      if (++strays * perStray > lines->size())
        return corruptMerge(rank, " names a token that is not in the vocabulary", "tokens of the vocabulary", line);
    }
    if (!whole) continue;  // no text comes to it
    if (merge.result == noToken) {
      merge.result = static_cast<TokenId>(vocabulary.size() + absent.size());
      absent.emplace(joined, merge.result);
    }
    merges.add(merge);
  }
  if (strays > 0)
    warnings.push_back(std::to_string(strays) + " merges (tokenizer.ggml.merges) name tokens that are not in the vocabulary, such as '" +
                       utf8::replaceBroken(stray.substr(0, 60)) + "': text does not become these");
  return merges;
}

MergeTable mergesOfRanks(const Vocabulary& vocabulary) {
  std::vector<double> scores;
  for (std::size_t id = 0; id < vocabulary.size(); ++id) scores.push_back(-static_cast<double>(id));
  return mergesFromScores(vocabulary, scores);
}

}  // namespace minerva::text
