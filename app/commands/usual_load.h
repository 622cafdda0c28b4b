// Loading a model for a command as the window does.
#pragma once

#include "app/inference/model_loader.h"

#include <QString>

namespace minerva::app {

class Settings;

// Those of the window's settings, but for what only the window has: how much is answered at once.
[[nodiscard]] LoadPreferences usualPreferences(const Settings& settings);
// The draft model that was chosen for the model; "": none. No model gains from drafting for itself.
[[nodiscard]] QString draftFor(const QString& model, const QString& chosen);
// Prints the model's warnings, and why it is not on the device that was asked for, to stderr.
void sayWarnings(const LoadedEngine& loaded);

}  // namespace minerva::app
