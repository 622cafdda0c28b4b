#include "core/text/vocabulary/end_of_generation.h"

#include <algorithm>

namespace minerva::text {
namespace {

// clang-format off
constexpr std::string_view names[] = {
    "</s>", "<eos>", "<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>",
    "<turn|>", "<|end_of_turn|>", "<|eot|>", "<|eom|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<EOT>", "_<EOT>", "< EOT >",
    "[EOT]", "[EOS]", "[|endofturn|]", "<｜end▁of▁sentence｜>", "<end_of_utterance>", "<|END_OF_TURN_TOKEN|>",
    "<|role_end|>", "<|endofassistant|>", "<seed:eos>", "<｜hy_eos｜>", "<｜hy_eos:opensource｜>", "<｜hy_EOT｜>",
    "<|tool_response>", "<start_function_response>", "[e~[",
    // Of code: behind a file, or behind what fills a gap.
    "▁<EOT>", "<|fim_pad|>", "<fim_pad>", "<|file_sep|>", "<file_sep>", "<|repo_name|>", "<reponame>",
};
// clang-format on
// Those that end a reply only where the chat template writes them: Nemotron Mini, Minitron and Hymba, in T5 a gap of the text; Laguna.
constexpr std::string_view namesInTemplate[] = {"<extra_id_1>", "</assistant>"};

// Id of the control or user-defined token of this name, else noToken. "</s>" must be a control token: as any other it is HTML's
// strike-through (user-defined in Gemma and Phi-3).
TokenId controlNamed(const Vocabulary& vocabulary, std::string_view name) {
  const TokenId id = vocabulary.find(name);
  const TokenKind kind = vocabulary.kind(id);
  return kind == TokenKind::control || (kind == TokenKind::userDefined && name != "</s>") ? id : noToken;
}

}  // namespace

std::vector<TokenId> endOfGeneration(const Vocabulary& vocabulary, std::span<const TokenId> named, std::string_view templateSource) {
  std::vector<TokenId> ids;
  for (const TokenId id : named)
    if (vocabulary.has(id)) ids.push_back(id);
  // <|end|> ends one message of a reply, such as its thoughts, where others end the whole: in the harmony format <|return|> and <|call|>,
  // in Solar Open <|flush|> and <|calls|>. So does <|eom|> in Muse Glimmer, where <|eot|> ends the reply.
  const auto has = [&](std::string_view name) { return controlNamed(vocabulary, name) != noToken; };
  const bool inMessages = (has("<|return|>") || has("<|flush|>")) && (has("<|call|>") || has("<|calls|>"));
  const bool inMessagesOfMuse = has("<|start|>") && has("<|message|>") && has("<|eot|>");
  for (const std::string_view name : names) {
    const TokenId id = controlNamed(vocabulary, name);
    const bool endsMessage = (inMessages && name == "<|end|>") || (inMessagesOfMuse && name == "<|eom|>");
    if (id != noToken && !endsMessage) ids.push_back(id);
  }
  // GLM, since ChatGLM3, ends a reply with the name of who speaks next; files declare one of them or neither.
  if (has("[gMASK]") && has("<|observation|>"))
    for (const std::string_view next : {"<|user|>", "<|observation|>"})
      if (has(next)) ids.push_back(controlNamed(vocabulary, next));
  for (const std::string_view name : namesInTemplate)
    if (has(name) && templateSource.find(name) != std::string_view::npos) ids.push_back(controlNamed(vocabulary, name));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace minerva::text
