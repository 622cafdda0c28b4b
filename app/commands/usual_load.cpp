#include "app/commands/usual_load.h"

#include "app/commands/command.h"
#include "app/library/model_header.h"
#include "app/settings/settings.h"

#include <cstdio>

namespace minerva::app {

LoadPreferences usualPreferences(const Settings& settings) {
  LoadPreferences preferences;
  preferences.device = settings.device();
  preferences.contextLength = settings.contextLength();
  preferences.setMemory(settings.gpuMemory(), settings.kvType());
  preferences.threads = settings.threads();
  preferences.drafts = settings.drafts();
  preferences.batchInvariant = settings.batchInvariant();
  return preferences;
}

QString draftFor(const QString& model, const QString& chosen) { return placeOf(chosen) == placeOf(model) ? QString() : chosen; }

void sayWarnings(const LoadedEngine& loaded) {
  for (const std::string& warning : loaded.engine->info().warnings)
    std::fprintf(stderr, "%s\n", qPrintable(shown(QString::fromStdString(warning))));
  if (!loaded.whyNot.isEmpty()) std::fprintf(stderr, "not on the device that was asked for: %s\n", qPrintable(shown(loaded.whyNot)));
}

}  // namespace minerva::app
