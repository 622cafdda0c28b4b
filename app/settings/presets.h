// Presets: named sets of reply parameters that override the settings (reply_terms.h) without changing them.
//
// Built-in presets contain some of the sampling parameters; the user's presets contain all of them except the seed, and also
// the system prompt and the maximum reply length. A conversation refers to its preset by id, or to `none`; if it has no id,
// or an unknown one, the model's default preset applies. Stored in the settings file with one entry per preset; a damaged
// entry is neither changed nor affects the others. GUI thread only.
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
  QString id;          // built-in: an English word; user's: a UUID. Names may change, ids do not
  QString name;        // as typed by the user; translated for built-in presets
  QVariantMap values;  // by settings key, within the settings' limits
  bool own = false;
};

class Presets : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(QVariantList all READ all NOTIFY changed)  // [{presetId, name, note, own}]: none, built-in, the user's by name
  Q_PROPERTY(QVariantList fields READ fields CONSTANT)  // [{key, title, note, from, to, step, decimals, slider}]: numeric parameters
  Q_PROPERTY(QString removedName READ removedName NOTIFY changed)  // the preset that undoRemove() restores; "": none
 public:
  static const QString none;  // "none": no preset, even if the model has a default one

  // unread: receives the errors of invalid entries.
  explicit Presets(Settings* settings, QList<Error>* unread = nullptr, QObject* parent = nullptr);

  // The effective preset of a conversation with preset id `said` and model path `model`: an id, or `none` if the settings
  // apply.
  [[nodiscard]] QString inForce(const QString& said, const QString& model) const;
  [[nodiscard]] ReplyTerms terms(const QString& said, const QString& model) const;
  // Display name; for `none`: "Model default", or "As in Settings" if the user has set sampling settings.
  [[nodiscard]] QString name(const QString& id) const;

  Q_INVOKABLE QVariantMap values(const QString& id) const;  // all parameters; the setting's value where the preset has none
  // Why the preset cannot have this name; "" if it can. id: the preset itself, "" for a new one.
  Q_INVOKABLE QString problem(const QString& name, const QString& id) const;
  // Saves a preset of the user; id "" creates a new one. Numbers are clamped to their limits; values that are missing or
  // have the wrong type stay unchanged (for a new preset: the setting's value). Returns the preset's id, or "" without any
  // change if problem(name, id) is not empty or the id is not one of the user's presets.
  Q_INVOKABLE QString keep(const QString& id, const QString& name, const QVariantMap& values);
  Q_INVOKABLE void remove(const QString& id);  // user's presets only; undoRemove() restores the last one until dismissUndo()
  Q_INVOKABLE void undoRemove();
  Q_INVOKABLE void dismissUndo();
  // The default preset of a model (by path), for conversations without a preset of their own; "": none.
  Q_INVOKABLE QString ofModel(const QString& model) const;
  Q_INVOKABLE void setOfModel(const QString& model, const QString& id);  // an unknown id removes the default
  // Migrates a default that older versions stored under the model's name, which is not unique, to its path.
  void moveOfModel(const QString& name, const QString& path);

  // What was typed into the editor and neither saved nor cancelled, as JSON, for the next start.
  Q_INVOKABLE QString drafts() const;
  Q_INVOKABLE void keepDrafts(const QString& drafts);

  [[nodiscard]] QVariantList all() const;
  [[nodiscard]] QVariantList fields() const;
  [[nodiscard]] QString removedName() const { return m_removed.name; }

 Q_SIGNALS:
  void changed();  // presets, models' defaults, or the settings they override

 private:
  [[nodiscard]] Result<void> readOwn(const QString& id);
  void insert(const Preset& preset);
  [[nodiscard]] const Preset* find(const QString& id) const;
  [[nodiscard]] QString note(const QString& id) const;  // short summary: "temperature 0.2 · system prompt"
  Settings* m_settings;
  QList<Preset> m_builtIn, m_own;    // m_own is sorted by name
  QMap<QString, QString> m_ofModel;  // model path -> id, which may belong to a removed preset
  Preset m_removed;
};

}  // namespace minerva::app
