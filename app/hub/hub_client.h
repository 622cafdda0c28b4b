// Queries to the hub: searches and file lists. Callbacks are called from the event loop, and not at all once the client is
// destroyed. Not thread-safe: use on one thread.
#pragma once

#include "app/hub/hub_stream.h"
#include "app/hub/repository.h"

#include <memory>
#include <vector>

namespace minerva::app {

class HubClient : public QObject {
  Q_OBJECT
 public:
  using Files = std::function<void(Result<Repository>)>;
  using Hits = std::function<void(Result<QList<SearchHit>>)>;

  explicit HubClient(HubNetwork* network, QObject* parent = nullptr) : QObject(parent), m_network(network) {}
  ~HubClient() override;

  void search(const QString& text, Hits answer);
  void repository(const QString& name, const QString& revision, Files answer);  // including all its files
  void stop();                                                                  // cancels pending queries without calling their callbacks

 Q_SIGNALS:
  void waiting(const QString& reason, const QString& hint, int milliseconds);  // as HubStream::waiting
  void answered();

 private:
  using Answer = std::function<void(Result<QByteArray> body, const HubHead& head)>;
  void ask(const QUrl& url, const QString& why, Answer answer);
  void nextPage(std::shared_ptr<Repository> repository, const QUrl& url, int page, Files answer);

  HubNetwork* m_network;
  std::vector<std::unique_ptr<HubStream>> m_streams;
};

}  // namespace minerva::app
