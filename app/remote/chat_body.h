// The body of a chat completion request for an engine's request. Pure functions.
#pragma once

#include "core/base/error.h"
#include "core/engine/engine.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace minerva::app {

// The values of reasoning_effort that OpenAI's interface has for all of its models that reason, weakest first. Which of them a server's
// model knows only its refusal tells.
[[nodiscard]] const std::vector<std::string>& reasoningEfforts();
// The one that this request sends; empty: none, as for a word of another model's.
[[nodiscard]] std::string reasoningEffortOf(const engine::Request& request);

struct ChatBody {
  QByteArray json;
  QStringList optional;  // the fields that a server may refuse; without them, it still answers
};

// leftOut: fields that the server has refused before. Sampling values that only some servers know (top_k, min_p, repeat_penalty) are sent
// if they differ from their neutral value. Errors: unsupported (to continue within reasoning).
[[nodiscard]] Result<ChatBody> chatBody(const engine::Request& request, const QString& model, const QStringList& leftOut);

// Which of the optional fields this refusal of a server calls unknown or unsupported; empty: none. One about a value ("temperature must be
// at most 2") is not: the user can change that.
[[nodiscard]] QStringList fieldsNamedIn(const QByteArray& refusal, const QStringList& optional);

}  // namespace minerva::app
