// Inspects a model before it is downloaded: fetches the headers of its weights by range requests, and its small files
// completely. The files are written to a temporary folder as sparse files of their full size, with holes for the tensor
// data, so that core/inspect can read them like a complete model. Not thread-safe: use on one thread.
#pragma once

#include "app/hub/download_item.h"
#include "app/hub/hub_stream.h"

#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace minerva::app {

class HeaderProbe : public QObject {
  Q_OBJECT
 public:
  HeaderProbe(HubNetwork* network, DownloadItem item, QObject* parent = nullptr);
  ~HeaderProbe() override;

  void start();
  [[nodiscard]] const DownloadItem& item() const { return m_item; }
  [[nodiscard]] QString modelPath() const { return m_item.modelPath(m_folder.path()); }  // deleted with the probe
  // Replaces paths of the temporary folder in a message by the names used in the repository.
  [[nodiscard]] QString named(QString text) const { return text.remove(m_folder.path() + QLatin1Char('/')); }
  [[nodiscard]] qint64 received() const { return m_received; }

 Q_SIGNALS:
  void waiting(const QString& reason, const QString& hint, int milliseconds);  // as HubStream::waiting
  void answered();
  void ended(const std::optional<minerva::Error>& error);

 private:
  struct Part {
    HubFile file;
    QByteArray bytes;
    std::unique_ptr<HubStream> stream;
  };
  void startSome();
  void ask(Part& part, qint64 upTo);
  void arrived(Part& part, const std::optional<Error>& error);
  [[nodiscard]] Result<qint64> moreOf(const Part& part) const;  // total bytes needed from the start; 0: complete
  [[nodiscard]] Result<void> lay(const Part& part) const;
  void end(const std::optional<Error>& error);

  HubNetwork* m_network;
  DownloadItem m_item;
  QTemporaryDir m_folder;
  std::vector<std::unique_ptr<Part>> m_parts;
  std::size_t m_next = 0, m_open = 0;
  qint64 m_received = 0;
  bool m_ended = false;
};

}  // namespace minerva::app
