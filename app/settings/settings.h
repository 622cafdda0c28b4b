// The settings as properties (settings.temperature, settings.theme ...), from the rows of settings_table.h.
//
// Setting a property checks its limits, keeps it in an INI file and tells listeners. The sampling settings (all but the seed)
// have the loaded model's recommendation as their default; what the user has set stays, whatever the model. GUI thread only.
#pragma once

#include "app/settings/settings_table.h"

#include <QObject>
#include <QSettings>
#include <QVariant>
#include <qqmlregistration.h>

#include <memory>
#include <span>

namespace minerva::app {

// One row of the table, for everything that works on all settings alike.
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
#undef MINERVA_SETTING_PROPERTY

 public:
  // file: an INI file, created at the first change. An unreadable one counts as empty.
  explicit Settings(const QString& file, QObject* parent = nullptr);
  ~Settings() override;

  [[nodiscard]] static std::span<const SettingRow> rows();
  // The value as that setting would keep it: of its type, inside its limits; invalid where it cannot be that.
  [[nodiscard]] static QVariant fitted(const QString& key, const QVariant& value);
  [[nodiscard]] QVariant value(const QString& key) const;
  // False: no such key, or the value has the wrong type (nothing is changed). Numbers are moved into their limits.
  bool setValue(const QString& key, const QVariant& value);
  [[nodiscard]] bool isSet(const QString& key) const;  // by the user; else the default is in force
  [[nodiscard]] bool followsModel() const;             // in all its sampling: the user has set nothing of it
  // What the loaded model recommends, by key; keys that are not there (or not its business) keep the table's default.
  void setModelDefaults(const QVariantMap& values);
  // Choice settings: [{value, title}]. Empty for others. (Devices are listed by DeviceModel.)
  Q_INVOKABLE QVariantList choices(const QString& key) const;

  Q_INVOKABLE void reset(const QString& key);
  Q_INVOKABLE void resetSection(const QString& section);  // "Sampling", "Reply", "Engine", "Window"
  [[nodiscard]] QSettings& file() { return m_file; }      // where Presets keeps its entries too

#define MINERVA_SETTING_ACCESS(type, name, ...)                                                  \
  [[nodiscard]] type name() const { return value(QStringLiteral(#name)).value<type>(); }         \
  void set_##name(const type& newValue) { setValue(QStringLiteral(#name), QVariant(newValue)); } \
  Q_SIGNAL void name##Changed();
  MINERVA_SETTINGS(MINERVA_SETTING_ACCESS)
#undef MINERVA_SETTING_ACCESS
  Q_SIGNAL void changed(const QString& key);

 private:
  void announce(int row);
  void put(int row, const QVariant& value, bool set);
  QSettings m_file;
  // In the order of rows().
  QVariantList m_values, m_defaults;
  QList<bool> m_set;
};

}  // namespace minerva::app
