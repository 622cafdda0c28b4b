#include "app/settings/settings.h"

#include <QCoreApplication>
#include <QMetaMethod>
#include <QMetaProperty>

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::app {
namespace {

QString key(const SettingRow& row) { return QString::fromLatin1(row.key); }

int settingRow(const QString& wanted) {
  const auto rows = Settings::rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const SettingRow& row) { return wanted == QLatin1String(row.key); });
  return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

// The value converted to the row's type and clamped to its limits; invalid if it cannot be converted.
QVariant fittedTo(const SettingRow& row, QVariant value) {
  const int type = row.fallback.typeId();
  if (type == QMetaType::Double || type == QMetaType::Int) {
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    if (!isNumber || std::isnan(number)) return {};  // text that is not a number must not become 0
    const double fit = std::clamp(number, row.from, row.to);
    return type == QMetaType::Double ? QVariant(fit) : QVariant(static_cast<int>(std::lround(fit)));
  }
  return value.isValid() && value.convert(row.fallback.metaType()) ? value : QVariant();
}

// Models recommend sampling parameters, but not the seed.
bool isOfModel(const SettingRow& row) {
  return QLatin1String(row.section) == QLatin1String("Sampling") && QLatin1String(row.key) != QLatin1String("seed");
}

}  // namespace

std::span<const SettingRow> Settings::rows() {
  using Editor = SettingRow::Editor;
#define MINERVA_SETTING_ROW(type, name, fallback, editor, from, to, step, section, title, note) \
  SettingRow{#name, QVariant(type(fallback)), Editor::editor, from, to, step, section, title, note},
  static const std::vector<SettingRow> table{MINERVA_SETTINGS(MINERVA_SETTING_ROW)};
#undef MINERVA_SETTING_ROW
  return table;
}

QVariant Settings::fitted(const QString& wanted, const QVariant& value) {
  const int row = settingRow(wanted);
  return row < 0 ? QVariant() : fittedTo(rows()[static_cast<std::size_t>(row)], value);
}

Settings::Settings(const QString& file, QObject* parent) : QObject(parent), m_file(file, QSettings::IniFormat) {
  for (const SettingRow& row : rows()) {
    const QVariant stored = m_file.contains(key(row)) ? fittedTo(row, m_file.value(key(row))) : QVariant();
    m_set << stored.isValid();
    m_defaults << row.fallback;
    m_values << (stored.isValid() ? stored : row.fallback);
  }
}

Settings::~Settings() = default;

// QSettings keeps its first error for good, so another one, which writes the same changes, says whether that works now.
Result<void> Settings::save() {
  QSettings file(m_file.fileName(), QSettings::IniFormat);
  file.sync();
  if (file.status() == QSettings::NoError) return {};
  return fail(
      {.kind = ErrorKind::io,
       .what = "the file cannot be written",
       .where = m_file.fileName().toStdString(),
       .expected = {},
       .actual = {},
       .hint = "free space on the disk, or check that its folder can be written to; until then changes are lost when Minerva is closed"});
}

QVariant Settings::value(const QString& key) const {
  const int row = settingRow(key);
  return row < 0 ? QVariant() : m_values[row];
}

bool Settings::setValue(const QString& wanted, const QVariant& value) {
  const int row = settingRow(wanted);
  if (row < 0) return false;
  const SettingRow& about = rows()[static_cast<std::size_t>(row)];
  const QVariant fit = fittedTo(about, value);
  if (!fit.isValid()) return false;
  // A value equal to a fixed default is not stored; for a model's setting it is, since the next model may have another
  // default.
  put(row, fit, isOfModel(about) || fit != about.fallback);
  return true;
}

void Settings::put(int row, const QVariant& value, bool set) {
  if (value == m_values[row] && set == m_set[row]) return;
  m_values[row] = value;
  m_set[row] = set;
  const QString name = key(rows()[static_cast<std::size_t>(row)]);
  if (set) m_file.setValue(name, value);
  else m_file.remove(name);
  announce(row);
}

bool Settings::isSet(const QString& wanted) const {
  const int row = settingRow(wanted);
  return row >= 0 && m_set[row];
}

bool Settings::followsModel() const {
  const auto table = rows();
  return std::none_of(table.begin(), table.end(), [this](const SettingRow& row) { return isOfModel(row) && isSet(key(row)); });
}

void Settings::setModelDefaults(const QVariantMap& values) {
  for (int row = 0; row < static_cast<int>(m_values.size()); ++row) {
    const SettingRow& about = rows()[static_cast<std::size_t>(row)];
    if (!isOfModel(about)) continue;
    const QVariant fit = fittedTo(about, values.value(key(about)));
    m_defaults[row] = fit.isValid() ? fit : about.fallback;
    if (!m_set[row]) put(row, m_defaults[row], false);
  }
}

void Settings::announce(int row) {
  const QByteArray name = rows()[static_cast<std::size_t>(row)].key;
  const QMetaProperty property = metaObject()->property(metaObject()->indexOfProperty(name.constData()));
  property.notifySignal().invoke(this, Qt::DirectConnection);
  Q_EMIT changed(QString::fromLatin1(name));
}

QVariantList Settings::choices(const QString& wanted) const {
  const auto choice = [](const QString& value, const QString& title) {
    return QVariantMap{{QStringLiteral("value"), value}, {QStringLiteral("title"), title}};
  };
  if (wanted == QLatin1String("theme"))
    return {choice(QStringLiteral("system"), tr("Follow the system")), choice(QStringLiteral("light"), tr("Light")),
            choice(QStringLiteral("dark"), tr("Dark"))};
  if (wanted == QLatin1String("kvType"))
    return {choice(QStringLiteral("f16"), tr("16 bits")), choice(QStringLiteral("q8_0"), tr("8 bits (Q8_0)"))};
  if (wanted == QLatin1String("language"))
    return {choice(QStringLiteral("system"), tr("Follow the system")), choice(QStringLiteral("en"), QStringLiteral("English")),
            choice(QStringLiteral("de"), QStringLiteral("Deutsch"))};
  return {};
}

void Settings::reset(const QString& wanted) {
  if (const int row = settingRow(wanted); row >= 0) put(row, m_defaults[row], false);
}

void Settings::resetRow(const QString& wanted) {
  if (const int row = settingRow(wanted); row >= 0) resetRows({row}, QString::fromLatin1(rows()[static_cast<std::size_t>(row)].title));
}

void Settings::resetSection(const QString& section) {
  std::vector<int> found;
  for (int row = 0; row < static_cast<int>(rows().size()); ++row) {
    const SettingRow& about = rows()[static_cast<std::size_t>(row)];
    if (section == QLatin1String(about.section) && about.editor != SettingRow::Editor::Hidden) found.push_back(row);
  }
  resetRows(found, section);
}

void Settings::resetRows(const std::vector<int>& wanted, const QString& title) {
  QHash<int, QVariant> before;
  for (const int row : wanted)
    if (m_set[row]) before.insert(row, m_values[row]);
  if (before.isEmpty()) return;
  for (auto row = before.begin(); row != before.end(); ++row) put(row.key(), m_defaults[row.key()], false);
  m_beforeReset = before;
  m_resetTitle = title;
  Q_EMIT resetTitleChanged();
}

void Settings::undoReset() {
  const QHash<int, QVariant> before = m_beforeReset;
  dismissUndo();
  for (auto row = before.begin(); row != before.end(); ++row) put(row.key(), row.value(), true);
}

void Settings::dismissUndo() {
  m_beforeReset.clear();
  if (!std::exchange(m_resetTitle, {}).isEmpty()) Q_EMIT resetTitleChanged();
}

}  // namespace minerva::app
