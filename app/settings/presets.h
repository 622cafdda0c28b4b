// Presets: named ways to ask for replies, laid over the settings (reply_terms.h); they change none of them.
//
// The program's own hold some of the sampling; the user's hold all of it but the seed, the system prompt and the longest reply.
// A conversation names its preset by id, or says `none`; one that says nothing has its model's. An id that is not known counts
// as nothing said. Kept in the settings' file, an entry a preset: a damaged one is left alone and takes no other along.
// GUI thread only.
#pragma once

#include "app/settings/reply_terms.h"

#include <QList>
#include <QMap>
#include "core/base/error.h"

#include <QObject>
#include <QString>
#include <QVariantList>
#include <qqmlregistration.h>

namespace minerva::app {

struct Preset {
  QString id;          // of a built-in one an English word, of the user's a UUID: names may change
  QString name;        // as the user wrote it; of a built-in one: translated
  QVariantMap values;  // by the settings' keys, inside their limits
  bool own = false;
};

class Presets : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(QVariantList all READ all NOTIFY changed)  // [{presetId, name, note, own}]: none, the program's, the user's by name
  Q_PROPERTY(QVariantList fields READ fields CONSTANT)  // [{key, title, note, from, to, step, decimals, slider}]: the numbers one holds
  Q_PROPERTY(QString removedName READ removedName NOTIFY changed)  // what undoRemove() brings back; "": nothing
 public:
  static const QString none;  // "none": no preset, although the model has one

  // unread: takes the errors of entries that are no presets.
  explicit Presets(Settings* settings, QList<Error>* unread = nullptr, QObject* parent = nullptr);

  // What is in force where a conversation says `said` and the model is `model`: an id, `none` for the settings as they are.
  [[nodiscard]] QString inForce(const QString& said, const QString& model) const;
  [[nodiscard]] ReplyTerms terms(const QString& said, const QString& model) const;
  [[nodiscard]] QString name(const QString& id) const;  // as it is shown; of `none`: "Model default", or "As in Settings" once some are set

  Q_INVOKABLE QVariantMap values(const QString& id) const;  // all that one holds, with the setting's where this one has none
  // Why a preset cannot have this name; "": it can. id: the preset's own, "" of a new one.
  Q_INVOKABLE QString problem(const QString& name, const QString& id) const;
  // Keeps a preset of the user's; id "": a new one. Numbers are moved into their limits; a value that is missing or of the wrong
  // type stays (a new one's: the setting's). Returns its id, or "" (and nothing happens) where the name has a problem or the id is
  // not a preset of the user's.
  Q_INVOKABLE QString keep(const QString& id, const QString& name, const QVariantMap& values);
  Q_INVOKABLE void remove(const QString& id);  // the user's; undoRemove() brings the last one back, until dismissUndo()
  Q_INVOKABLE void undoRemove();
  Q_INVOKABLE void dismissUndo();
  // The preset a model (its path) has where a conversation says nothing; "": none.
  Q_INVOKABLE QString ofModel(const QString& model) const;
  Q_INVOKABLE void setOfModel(const QString& model, const QString& id);  // any id that is not known: none
  // Models were known by their names once, which two files can share: what was kept so is the file's from now on.
  void moveOfModel(const QString& name, const QString& path);

  [[nodiscard]] QVariantList all() const;
  [[nodiscard]] QVariantList fields() const;
  [[nodiscard]] QString removedName() const { return m_removed.name; }

 Q_SIGNALS:
  void changed();  // presets, what models have by default, or the settings under them

 private:
  [[nodiscard]] Result<void> readOwn(const QString& id);
  void insert(const Preset& preset);
  [[nodiscard]] const Preset* find(const QString& id) const;
  [[nodiscard]] QString note(const QString& id) const;  // what it sets, in a few words: "temperature 0.2 · system prompt"
  Settings* m_settings;
  QList<Preset> m_builtIn, m_own;    // own ones by name
  QMap<QString, QString> m_ofModel;  // ids, of presets that are gone too
  Preset m_removed;
};

}  // namespace minerva::app
