// The bytes of one address, from a position on, whatever it takes: redirects to signed links, links that ran out, cut
// connections, answers that ask to wait. Bytes are delivered in order and once. One thread's.
#pragma once

#include "app/hub/hub_network.h"
#include "app/hub/hub_refusal.h"

#include <QPointer>
#include <QTimer>

#include <functional>
#include <optional>

namespace minerva::app {

// What the hub says of a file or list before its bytes come.
struct HubHead {
  QByteArray etag;      // X-Linked-Etag, else ETag; without quotes
  qint64 size = -1;     // X-Linked-Size, else of the answer's length; -1: not said
  QByteArray nextPage;  // of a list: the address in Link
};

class HubStream : public QObject {
  Q_OBJECT
 public:
  struct Order {
    QUrl url;
    QString why;  // for the log: "search", "download"
    qint64 from = 0;
    qint64 to = -1;        // last byte; -1: the end
    bool ranged = true;    // false: a list, delivered when it is whole
    bool limited = false;  // the bandwidth limit holds
  };
  // head: once an answer, before its bytes; an error ends the stream. take: likewise.
  using Head = std::function<Result<void>(const HubHead&)>;
  using Take = std::function<Result<void>(const QByteArray&)>;

  HubStream(HubNetwork* network, Order order, Head head, Take take, QObject* parent = nullptr);
  ~HubStream() override;

  void start();                                                 // answers from the event loop
  void stop();                                                  // at once; no signal follows
  [[nodiscard]] qint64 received() const { return m_received; }  // over the network, in all

 Q_SIGNALS:
  // Nothing comes, why, and when the next try begins.
  void waiting(const QString& reason, int milliseconds);
  void ended(const std::optional<minerva::Error>& error);

 private:
  void ask(const QUrl& url);
  void readSome();
  void finished();
  void follow(const QUrl& target);
  [[nodiscard]] Result<void> checkAnswer();
  [[nodiscard]] Result<void> deliver(QByteArray bytes);
  void retry(const HubAnswer& answer);
  void fault(const Error& error);  // an answer that cannot be right: as a cut connection
  void end(const std::optional<Error>& error);
  void dropReply();

  HubNetwork* m_network;
  Order m_order;
  Head m_head;
  Take m_take;
  QPointer<QNetworkReply> m_reply;
  QTimer m_silence, m_stall, m_pace, m_wait;
  bool m_checked = false;  // this answer's head
  bool m_fromHub = true;
  bool m_ended = false;
  int m_redirects = 0, m_failures = 0;
  qint64 m_position = 0;   // of the next byte to deliver
  qint64 m_skip = 0;       // bytes of this answer that were delivered before
  qint64 m_expected = -1;  // position after the last byte of the whole order; -1: not known
  qint64 m_received = 0, m_receivedHere = 0;
  QByteArray m_whole;  // of a list
  HubHead m_said;      // by the hub, on the way
};

}  // namespace minerva::app
