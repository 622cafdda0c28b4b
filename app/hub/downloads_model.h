// The downloads of this window, and unfinished ones of earlier runs. GUI thread only.
#pragma once

#include "app/hub/download.h"
#include "app/inference/error_info.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class DownloadsModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with HubService")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  enum State { Waiting, Checking, Running, Retrying, Paused, Failed, Done };  // same values as DownloadStatus::State
  Q_ENUM(State)
  enum Role {
    NameRole = Qt::UserRole + 1,  // name: "ORG/REPO:Q4_K_M"
    TitleRole,                    // title: "REPO"
    LabelRole,                    // label: "Q4_K_M"
    FormatRole,                   // format: "GGUF"
    StateRole,                    // downloadState
    ShareRole,                    // share: 0..1, never decreases
    ProgressRole,                 // progress: "1.58 of 2.50 GB · 11.2 MB/s · 1 min 24 s left"
    ErrorRole,                    // error: errorInfo
    PathRole,                     // path: what to open when the download is done
  };
  explicit DownloadsModel(QString models, QObject* parent = nullptr) : QAbstractListModel(parent), m_models(std::move(models)) {}
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }

  Q_INVOKABLE void resume(int row);
  Q_INVOKABLE void pause(int row);
  Q_INVOKABLE void cancel(int row);                           // a finished download is only removed from this list
  [[nodiscard]] int rowOf(const QString& name) const;         // -1: none
  [[nodiscard]] bool isDone(const DownloadItem& item) const;  // and not deleted since

  void update(const DownloadItem& item, const DownloadStatus& status);
  void removeName(const QString& name);
  void removeDeleted();  // the finished ones whose files were deleted since

 Q_SIGNALS:
  void countChanged();
  void startWanted(const minerva::app::DownloadItem& item);
  void pauseWanted(const QString& name);
  void cancelWanted(const QString& name);
  void finished(const QString& path);
  void replaced(const minerva::app::DownloadItem& item, const minerva::app::ReplacedVersion& old);  // moved to the trash

 private:
  struct Row {
    DownloadItem item;
    DownloadStatus status;
  };
  QString m_models;
  std::vector<Row> m_rows;
};

}  // namespace minerva::app
