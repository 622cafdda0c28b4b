// Finds models that other programs have downloaded. They are read in place and never modified.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace minerva::app {

struct OtherAppModel {
  QString app;   // "Ollama"
  QString name;  // its name in that program; empty: use the file's
  QString path;  // the file or folder to open, normalized by placeOf()
};

struct OtherAppPlace {
  enum class Layout {
    tree,      // *.gguf files and SafeTensors folders, a few levels deep
    hubCache,  // models--ORG--NAME/snapshots/COMMIT/...; refs/main contains the commit that was asked for last
    ollama     // manifests/HOST/OWNER/NAME/TAG (JSON) contain the digest of a blob
  };
  QString app, folder;
  Layout layout;
};

// Where programs of this user store models, according to their environment variables, settings and defaults. The folders need
// not exist.
[[nodiscard]] QList<OtherAppPlace> otherAppPlaces();
// Sorted by app, then by path; a model reachable through several places is listed once. Reads folders and manifests only.
// Safe on any thread.
[[nodiscard]] QList<OtherAppModel> modelsOfOtherApps(const QList<OtherAppPlace>& places);

// One sentence per place that exists but is not readable by this user, with what to do. Accesses the file system.
[[nodiscard]] QStringList unreadablePlaces(const QList<OtherAppPlace>& places);

}  // namespace minerva::app
