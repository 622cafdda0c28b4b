// From a conversation to what the engine is asked. Pure functions.
#pragma once

#include "app/chat/conversation_tree.h"
#include "core/engine/engine.h"

#include <QVariantMap>

namespace minerva::app {

class Settings;

// The path to `leaf` as chat messages, the system prompt first. Replies without text (failed, stopped at once) are left
// out, and neighbours of the same author are joined, because templates insist on taking turns.
[[nodiscard]] engine::Request requestFor(const ConversationTree& tree, qint64 leaf, const Settings& settings);

[[nodiscard]] engine::SamplingOptions samplingFrom(const Settings& settings);
// The other way: what a model recommends, as values for Settings::setModelDefaults().
[[nodiscard]] QVariantMap settingsFrom(const engine::SamplingOptions& options);

// The first line of the first message, cut at a word near 48 characters.
[[nodiscard]] QString titleFrom(const QString& firstMessage);

}  // namespace minerva::app
