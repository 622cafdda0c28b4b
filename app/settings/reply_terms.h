// The parameters of a reply: the settings, overridden by a preset's values. All replies take these settings from here.
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

// over: values by settings key, within the settings' limits; for missing keys the setting's value is used.
[[nodiscard]] ReplyTerms replyTerms(const Settings& settings, const QVariantMap& over = {});

// Converts a model's recommended sampling options to values for Settings::setModelDefaults().
[[nodiscard]] QVariantMap settingsFrom(const engine::SamplingOptions& options);

}  // namespace minerva::app
