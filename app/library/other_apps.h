// Models that other programs have downloaded: found where they lie, read in place, never written to.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace minerva::app {

struct OtherAppModel {
  QString app;   // "Ollama"
  QString name;  // as that program calls it; empty: as the file says
  QString path;  // what is opened, as placeOf() says it
};

struct OtherAppPlace {
  enum class Layout {
    tree,      // *.gguf and SafeTensors folders, some levels down
    hubCache,  // models--ORG--NAME/snapshots/COMMIT/..., refs/main names the commit
    ollama     // manifests/HOST/OWNER/NAME/TAG (JSON) name a blob by its digest
  };
  QString app, folder;
  Layout layout;
};

// Where the programs of this user keep them, as the programs' own variables and defaults say; whether there is anything
// or not.
[[nodiscard]] QList<OtherAppPlace> otherAppPlaces();
// By app, then by path; a model that two places lead to once. Reads folders and manifests only. Safe on any thread.
[[nodiscard]] QList<OtherAppModel> modelsOfOtherApps(const QList<OtherAppPlace>& places);

// Places that are there and that this user may not read, each as a sentence with what to do. Asks the file system.
[[nodiscard]] QStringList unreadablePlaces(const QList<OtherAppPlace>& places);

}  // namespace minerva::app
