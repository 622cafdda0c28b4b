// A small model that calls tools, or thinks.
#pragma once

#include "tests/core/format/temporary_folder.h"
#include "tests/core/serve/serve_test.h"

namespace minerva::serve {

inline const char* const hermesCalls = "<tool_call> </tool_call>";

// The built-in model, with a chat template whose prompts end like this.
inline Running promptedModel(const TemporaryFolder& folder, const std::string& promptEnd) {
  for (const auto& entry : std::filesystem::directory_iterator(builtInModel))
    if (entry.is_regular_file()) std::filesystem::copy(entry.path(), folder.path() / entry.path().filename());
  folder.write("chat_template.jinja", "{% for m in messages %}<|user|>{{ m.content }}<|end|>{% endfor %}<|assistant|>" + promptEnd);
  return Running::start(1, {}, folder.path());
}

// The template has this text of a format of calls.
inline Running callerOf(const TemporaryFolder& folder, const std::string& shown) { return promptedModel(folder, "{# " + shown + " #}"); }

// What it writes is reasoning, until it closes that.
inline Running thinkerOf(const TemporaryFolder& folder) { return promptedModel(folder, "<think>"); }

}  // namespace minerva::serve
