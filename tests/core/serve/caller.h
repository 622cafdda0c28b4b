// A small model that calls tools, or thinks.
#pragma once

#include "tests/core/format/temporary_folder.h"
#include "tests/core/serve/serve_test.h"

namespace minerva::serve {

inline const char* const hermesCalls = "<tool_call> </tool_call>";

// The files of the built-in model, with this chat template.
inline void writeModel(const TemporaryFolder& folder, const std::string& chatTemplate) {
  for (const auto& entry : std::filesystem::directory_iterator(builtInModel))
    if (entry.is_regular_file()) std::filesystem::copy(entry.path(), folder.path() / entry.path().filename());
  folder.write("chat_template.jinja", chatTemplate);
}

inline std::string templateOf(const std::string& promptEnd) {
  return "{% for m in messages %}<|user|>{{ m.content }}<|end|>{% endfor %}<|assistant|>" + promptEnd;
}

// The built-in model, with a chat template whose prompts end like this.
inline Running promptedModel(const TemporaryFolder& folder, const std::string& promptEnd) {
  writeModel(folder, templateOf(promptEnd));
  return Running::start(1, {}, folder.path());
}

// The template has this text of a format of calls.
inline Running callerOf(const TemporaryFolder& folder, const std::string& shown) { return promptedModel(folder, "{# " + shown + " #}"); }

// The same, with a token of the vocabulary that is this marker: the fourth, in place of one that its template has no use for.
inline constexpr int markerToken = 4;
inline Running callerWithToken(const TemporaryFolder& folder, const std::string& shown, const std::string& marker) {
  writeModel(folder, templateOf("{# " + shown + " #}"));
  std::string tokenizer = TemporaryFolder::read(folder.path() / "tokenizer.json");
  const std::string replaced = "<|system|>";
  for (std::size_t at = tokenizer.find(replaced); at != std::string::npos; at = tokenizer.find(replaced, at))
    tokenizer.replace(at, replaced.size(), marker);
  folder.write("tokenizer.json", tokenizer);
  return Running::start(1, {}, folder.path());
}

// What it writes is reasoning, until it closes that.
inline Running thinkerOf(const TemporaryFolder& folder) { return promptedModel(folder, "<think>"); }

}  // namespace minerva::serve
