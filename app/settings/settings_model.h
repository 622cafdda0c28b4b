// The settings that have an editor, as a list model for a settings page with one delegate per kind of editor. GUI thread
// only.
#pragma once

#include "app/settings/settings.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

namespace minerva::app {

class SettingsModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  // Only rows with all its words in title, note, section or choices are listed.
  Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged)
  Q_PROPERTY(int count READ rowCountNow NOTIFY countChanged)
 public:
  enum Editor { Slider, Number, Choice, Toggle, Line, Text };
  Q_ENUM(Editor)
  enum Role {
    KeyRole = Qt::UserRole + 1,  // key: "temperature"
    TitleRole,                   // title
    NoteRole,                    // note: one sentence; may be empty
    SectionRole,                 // section: "Sampling", "Reply", "Engine", "Window" (for ListView.section)
    EditorRole,                  // editor: Editor
    ValueRole,                   // value: current value; writable (model.value = x)
    FromRole,                    // from
    ToRole,                      // to
    StepRole,                    // step
    DecimalsRole,                // decimals: digits to show
    ChoicesRole,                 // choices: [{value, title}]; empty for key "device": use DeviceModel there
    ModifiedRole,                // modified: set by the user
  };
  explicit SettingsModel(Settings* settings, QObject* parent = nullptr);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QHash<int, QByteArray> roleNames() const override;

  [[nodiscard]] QString search() const { return m_search; }
  void setSearch(const QString& search);

 Q_SIGNALS:
  void searchChanged();
  void countChanged();

 private:
  [[nodiscard]] int rowCountNow() const { return rowCount(); }
  [[nodiscard]] QString sought(int row) const;  // the text that is searched
  [[nodiscard]] std::vector<int> matching() const;
  Settings* m_settings;
  QString m_search;
  std::vector<int> m_rows;  // indices into Settings::rows()
};

}  // namespace minerva::app
