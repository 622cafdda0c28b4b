// Builds engine requests from conversations. Pure functions.
#pragma once

#include "app/chat/conversation_tree.h"
#include "core/engine/engine.h"
#include "core/text/channels.h"

namespace minerva::app {

struct ReplyTerms;

struct ChatPrompt {
  static constexpr qint64 system = 0, next = -1;
  engine::Request request;
  std::vector<qint64> ids;  // id of the (first) message in each of request.chat.messages; system and next are not messages of the tree
};

// The path to `leaf` as chat messages: the system prompt, the messages from the latest cut on (Message::leftOutAbove),
// then the unsent text and files. Empty replies (failed, stopped early) are omitted, and consecutive messages of one
// author are joined, because chat templates require alternating roles.
[[nodiscard]] ChatPrompt promptFor(const ConversationTree& tree, qint64 leaf, const ReplyTerms& terms, const QString& next = {},
                                   const QList<Attachment>& nextFiles = {});

// Splits a stored reply into reasoning and answer, for the model to continue. The answer is exact, including white space.
[[nodiscard]] text::ReplyStart startOf(const QString& reply);
// Appends the reply to the prompt as a final message to be continued (core/engine/prompt.h).
void goOnFrom(const QString& reply, ChatPrompt& prompt);

// The first line of the message, cut at a word boundary near 48 characters.
[[nodiscard]] QString titleFrom(const QString& firstMessage);

}  // namespace minerva::app
