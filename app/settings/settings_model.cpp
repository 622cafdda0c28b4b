#include "app/settings/settings_model.h"

#include <QCoreApplication>

namespace minerva::app {
namespace {

SettingsModel::Editor editorOf(SettingRow::Editor editor) {
  switch (editor) {
    case SettingRow::Editor::Slider: return SettingsModel::Slider;
    case SettingRow::Editor::Number: return SettingsModel::Number;
    case SettingRow::Editor::Choice: return SettingsModel::Choice;
    case SettingRow::Editor::Toggle: return SettingsModel::Toggle;
    default: return SettingsModel::Text;
  }
}

QString translated(const char* text) { return QCoreApplication::translate("Settings", text); }

}  // namespace

SettingsModel::SettingsModel(Settings* settings, QObject* parent) : QAbstractListModel(parent), m_settings(settings) {
  const auto rows = Settings::rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].editor != SettingRow::Editor::Hidden) m_rows.push_back(static_cast<int>(i));
  connect(settings, &Settings::changed, this, [this](const QString& key) {
    for (int row = 0; row < rowCount(); ++row)
      if (key == QLatin1String(Settings::rows()[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])].key))
        Q_EMIT dataChanged(index(row), index(row), {ValueRole, ModifiedRole});
  });
}

int SettingsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

QVariant SettingsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const SettingRow& row = Settings::rows()[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(index.row())])];
  const QString key = QString::fromLatin1(row.key);
  switch (role) {
    case KeyRole: return key;
    case Qt::DisplayRole:
    case TitleRole: return translated(row.title);
    case NoteRole: return QLatin1String(row.note).isEmpty() ? QString() : translated(row.note);
    case SectionRole: return QString::fromLatin1(row.section);
    case EditorRole: return editorOf(row.editor);
    case ValueRole: return m_settings->value(key);
    case FromRole: return row.from;
    case ToRole: return row.to;
    case StepRole: return row.step;
    case DecimalsRole: return row.fallback.typeId() == QMetaType::Double ? 2 : 0;
    case ChoicesRole: return m_settings->choices(key);
    case ModifiedRole: return m_settings->isSet(key);
    default: return {};
  }
}

bool SettingsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != ValueRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  return m_settings->setValue(data(index, KeyRole).toString(), value);
}

Qt::ItemFlags SettingsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractListModel::flags(index);
  return index.isValid() ? flags | Qt::ItemIsEditable : flags;
}

QHash<int, QByteArray> SettingsModel::roleNames() const {
  return {{KeyRole, "key"},   {TitleRole, "title"}, {NoteRole, "note"}, {SectionRole, "section"},   {EditorRole, "editor"},   {ValueRole, "value"},
          {FromRole, "from"}, {ToRole, "to"},       {StepRole, "step"}, {DecimalsRole, "decimals"}, {ChoicesRole, "choices"}, {ModifiedRole, "modified"}};
}

}  // namespace minerva::app
