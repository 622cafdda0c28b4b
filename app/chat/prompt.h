// From a conversation to what the engine is asked. Pure functions.
#pragma once

#include "app/chat/conversation_tree.h"
#include "core/engine/engine.h"
#include "core/text/channels.h"

namespace minerva::app {

struct ReplyTerms;

struct ChatPrompt {
  static constexpr qint64 system = 0, next = -1;
  engine::Request request;
  std::vector<qint64> ids;  // of the (first) message behind each of request.chat.messages; system, next: no message yet
};

// The path to `leaf` as chat messages from the newest cut on (Message::leftOutAbove), the system prompt first, and at the end
// what the user has not sent yet: text and files. Replies without text (failed, stopped at once) are left out, and neighbours of the
// same author are joined, because templates insist on taking turns.
[[nodiscard]] ChatPrompt promptFor(const ConversationTree& tree, qint64 leaf, const ReplyTerms& terms, const QString& next = {},
                                   const QList<Attachment>& nextFiles = {});

// A reply's text, as it is kept, as what a model goes on from: thoughts and answer apart, the answer to the letter.
[[nodiscard]] text::ReplyStart startOf(const QString& reply);
// Makes it the prompt's final message, which the engine goes on from (core/engine/prompt.h).
void goOnFrom(const QString& reply, ChatPrompt& prompt);

// The first line of the first message, cut at a word near 48 characters.
[[nodiscard]] QString titleFrom(const QString& firstMessage);

}  // namespace minerva::app
