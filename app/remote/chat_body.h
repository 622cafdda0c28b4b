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
  QStringList optional{};  // the fields that a server may refuse; without them, it still answers
  QStringList neutral{};   // those of them whose value changes nothing, so that a refusal of the value is one of the field
};

// leftOut: fields that the server has refused before; "top_p=1": only with that value. Sampling values that only some servers know (top_k,
// min_p, repeat_penalty) are sent if they differ from their neutral value. Errors: unsupported (to continue within reasoning).
[[nodiscard]] Result<ChatBody> chatBody(const engine::Request& request, const QString& model, const QStringList& leftOut);

// Which of the optional fields must be left out, in the form of `leftOut`, because this refusal of a server calls them unknown or
// unsupported; empty: none. Of those that must not be sent together, it is the last. One about a value ("temperature must be at most 2") is
// not: the user can change that.
[[nodiscard]] QStringList fieldsNamedIn(const QByteArray& refusal, const ChatBody& sent);

}  // namespace minerva::app
