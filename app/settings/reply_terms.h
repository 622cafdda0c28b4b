// What a reply is asked with: the settings, and a preset's values over them. Nothing else reads these settings for a reply.
#pragma once

#include "core/engine/sampling/sampling.h"

#include <QString>
#include <QVariantMap>

namespace minerva::app {

class Settings;

struct ReplyTerms {
  engine::SamplingOptions sampling;
  int maxTokens = 0;  // of the reply; 0: until the context is full
  QString systemPrompt;
};

// over: values by the settings' keys, inside their limits; for keys that are not there the setting is in force.
[[nodiscard]] ReplyTerms replyTerms(const Settings& settings, const QVariantMap& over = {});

// The other way: what a model recommends, as values for Settings::setModelDefaults().
[[nodiscard]] QVariantMap settingsFrom(const engine::SamplingOptions& options);

}  // namespace minerva::app
