// Streams the bytes of one URL from a given position. Handles redirects to signed links, expired links, lost connections and
// rate limits; every byte is delivered exactly once and in order. Not thread-safe: use on one thread.
#pragma once

#include "app/hub/hub_network.h"
#include "app/hub/hub_refusal.h"

#include <QPointer>
#include <QTimer>

#include <functional>
#include <optional>

namespace minerva::app {

// Metadata from the response headers.
struct HubHead {
  QByteArray etag;      // X-Linked-Etag, else ETag; without quotes
  qint64 size = -1;     // X-Linked-Size, else from the length of the response; -1: unknown
  QByteArray nextPage;  // next page of a list: the address in the Link header
};

class HubStream : public QObject {
  Q_OBJECT
 public:
  struct Order {
    QUrl url;
    QString why;  // for the log: "search", "download"
    qint64 from = 0;
    qint64 to = -1;        // last byte; -1: up to the end
    bool ranged = true;    // false: a list, delivered in one piece when complete
    bool limited = false;  // subject to the bandwidth limit
  };
  // head is called once per response before its bytes, take for each chunk of bytes. If either returns an error, the stream
  // ends with it.
  using Head = std::function<Result<void>(const HubHead&)>;
  using Take = std::function<Result<void>(const QByteArray&)>;

  HubStream(HubNetwork* network, Order order, Head head, Take take, QObject* parent = nullptr);
  ~HubStream() override;

  void start();                                                 // callbacks and signals come from the event loop
  void stop();                                                  // immediately; no signal is emitted afterwards
  [[nodiscard]] qint64 received() const { return m_received; }  // over the network, in total

 Q_SIGNALS:
  // Nothing is being received: the reason, what can be done about it (may be empty), and the time until the next attempt.
  void waiting(const QString& reason, const QString& hint, int milliseconds);
  void answered();  // after waiting(): headers have arrived
  void ended(const std::optional<minerva::Error>& error);

 private:
  void ask(const QUrl& url);
  void readSome();
  void finished();
  void follow(const QUrl& target);
  [[nodiscard]] Result<void> checkAnswer();
  [[nodiscard]] Result<void> deliver(QByteArray bytes);
  void retry(const HubAnswer& answer);
  void fault(const Error& error);  // for an invalid response; retried like a lost connection
  void end(const std::optional<Error>& error);
  void dropReply();

  HubNetwork* m_network;
  Order m_order;
  Head m_head;
  Take m_take;
  QPointer<QNetworkReply> m_reply;
  QTimer m_silence, m_stall, m_pace, m_wait;
  bool m_checked = false;  // the headers of the current response were checked
  bool m_fromHub = true;
  bool m_ended = false;
  bool m_waited = false;  // waiting() was emitted since the last answer
  int m_redirects = 0, m_failures = 0;
  qint64 m_position = 0;   // of the next byte to deliver
  qint64 m_skip = 0;       // bytes of the current response that were delivered by an earlier one
  qint64 m_expected = -1;  // position after the last requested byte; -1: unknown
  qint64 m_received = 0, m_receivedHere = 0;
  QByteArray m_whole;  // of a list, so far
  HubHead m_said;      // collected from the hub's responses, including redirects
};

}  // namespace minerva::app
