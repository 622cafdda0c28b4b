// The settings as properties (settings.temperature, settings.theme ...), generated from the rows of settings_table.h.
//
// Setting a property clamps the value to its limits, saves it to an INI file and emits the change signals. The sampling
// settings (except the seed) default to the loaded model's recommendation; values set by the user apply to every model. GUI
// thread only.
#pragma once

#include "app/settings/settings_table.h"

#include "core/base/error.h"

#include <QHash>
#include <QObject>
#include <QSettings>
#include <QVariant>
#include <qqmlregistration.h>

#include <memory>
#include <span>
#include <vector>

namespace minerva::app {

// One row of the table, for code that handles all settings uniformly.
struct SettingRow {
  enum class Editor { Slider, Number, Choice, Toggle, Line, Text, Hidden };
  const char* key;
  QVariant fallback;
  Editor editor;
  double from, to, step;
  const char *section, *title, *note;
};

class Settings : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
#define MINERVA_SETTING_PROPERTY(type, name, ...) Q_PROPERTY(type name READ name WRITE set_##name NOTIFY name##Changed)
  MINERVA_SETTINGS(MINERVA_SETTING_PROPERTY)
  // Untranslated title of the row or section that undoReset() restores; "": none
  Q_PROPERTY(QString resetTitle READ resetTitle NOTIFY resetTitleChanged)
#undef MINERVA_SETTING_PROPERTY

 public:
  // file: an INI file, created at the first change. An unreadable file is treated as empty.
  explicit Settings(const QString& file, QObject* parent = nullptr);
  ~Settings() override;

  [[nodiscard]] static std::span<const SettingRow> rows();
  // The value as the setting would store it: converted to its type and clamped to its limits; invalid if it cannot be
  // converted.
  [[nodiscard]] static QVariant fitted(const QString& key, const QVariant& value);
  [[nodiscard]] QVariant value(const QString& key) const;
  // Returns false, without any change, if the key is unknown or the value has the wrong type. Numbers are clamped to their
  // limits.
  bool setValue(const QString& key, const QVariant& value);
  [[nodiscard]] bool isSet(const QString& key) const;  // by the user; otherwise the default applies
  [[nodiscard]] bool followsModel() const;             // the user has set none of the sampling settings
  // The loaded model's recommendations, by key. Missing keys use the table's default; keys other than sampling settings are
  // ignored.
  void setModelDefaults(const QVariantMap& values);
  // The options of a Choice setting: [{value, title}]. Empty for other settings. (Devices are listed by DeviceModel.)
  Q_INVOKABLE QVariantList choices(const QString& key) const;

  Q_INVOKABLE void reset(const QString& key);
  // These two can be undone until dismissUndo() or the next of them. section: "Sampling", "Reply", "Engine", "Window".
  Q_INVOKABLE void resetRow(const QString& key);
  Q_INVOKABLE void resetSection(const QString& section);
  Q_INVOKABLE void undoReset();
  Q_INVOKABLE void dismissUndo();
  [[nodiscard]] QString resetTitle() const { return m_resetTitle; }
  [[nodiscard]] QSettings& file() { return m_file; }  // Presets stores its entries in this file too
  // Writes what is not written yet. Error: io.
  [[nodiscard]] Result<void> save();

#define MINERVA_SETTING_ACCESS(type, name, ...)                                                  \
  [[nodiscard]] type name() const { return value(QStringLiteral(#name)).value<type>(); }         \
  void set_##name(const type& newValue) { setValue(QStringLiteral(#name), QVariant(newValue)); } \
  Q_SIGNAL void name##Changed();
  MINERVA_SETTINGS(MINERVA_SETTING_ACCESS)
#undef MINERVA_SETTING_ACCESS
  Q_SIGNAL void changed(const QString& key);
  Q_SIGNAL void resetTitleChanged();

 private:
  void announce(int row);
  void resetRows(const std::vector<int>& rows, const QString& title);
  void put(int row, const QVariant& value, bool set);
  QSettings m_file;
  // Indexed like rows().
  QVariantList m_values, m_defaults;
  QList<bool> m_set;
  QHash<int, QVariant> m_beforeReset;  // the values set by the user that undoReset() restores, by row
  QString m_resetTitle;
};

}  // namespace minerva::app
