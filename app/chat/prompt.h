// From a conversation to what the engine is asked. Pure functions.
#pragma once

#include "app/chat/conversation_tree.h"
#include "core/engine/engine.h"

namespace minerva::app {

class Settings;

// The path to `leaf` as chat messages, the system prompt first. Replies without text (failed, stopped at once) are left
// out, and neighbours of the same author are joined, because templates insist on taking turns.
[[nodiscard]] engine::Request requestFor(const ConversationTree& tree, qint64 leaf, const Settings& settings);

[[nodiscard]] engine::SamplingOptions samplingFrom(const Settings& settings);

// The first line of the first message, cut at a word near 48 characters.
[[nodiscard]] QString titleFrom(const QString& firstMessage);

}  // namespace minerva::app
