// One streamed chat completion of a server, told as the events of an engine. For the thread of its HubNetwork.
//
// Times are this client's: TTFT is from start() to the first piece of text, and pieces that arrive together share the time since the
// earlier ones. Finished has the numbers of tokens that the server tells; if it tells none, generatedTokens counts pieces (see
// isCounted()). A field of the request that the server does not know is left out, and the request sent again.
#pragma once

#include "app/hub/hub_network.h"
#include "app/remote/chat_body.h"
#include "app/remote/chat_delta.h"
#include "app/remote/sse_reader.h"
#include "core/engine/engine.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <optional>
#include <string>

namespace minerva::app {

struct ReplyPatience {
  int firstMs = 600'000;  // without anything until text begins: it may load the model and read a long prompt on a slow machine
  int nextMs = 120'000;   // the same after that
};

class RemoteReply : public QObject {
  Q_OBJECT
 public:
  struct Order {
    QUrl server;   // as serverAddressFrom()
    QString name;  // of the server, for the log
    QByteArray key;
    QString model;
    engine::Request request;
    QStringList leftOut;  // fields that the server has refused for this model before
    ReplyPatience patience = {};
  };
  using Sink = std::function<void(const engine::Event& event)>;

  // sink: called from the event loop; its last event is Finished or Failed.
  RemoteReply(HubNetwork* network, Order order, Sink sink, QObject* parent = nullptr);
  ~RemoteReply() override;

  void start();
  void cancel();  // closes the connection; the last event is Finished, `cancelled`
  [[nodiscard]] bool hasEnded() const { return m_ended; }
  [[nodiscard]] bool isCounted() const { return m_figures.generatedTokens >= 0; }  // the server told the number of tokens

 Q_SIGNALS:
  void fieldsRefused(const QStringList& fields);  // the server does not take them

 private:
  void ask();
  void readSome();
  void connectionEnded();
  void takeBody(const QByteArray& bytes);
  void takeEvents(const QList<SseEvent>& events);
  void speak(std::vector<ChatDelta> deltas);
  void endOfStream();
  void refused();
  void finish(engine::FinishReason reason);
  void failWith(Error error);
  void failAfterText(const char* what, const QString& actual, const char* hint);
  [[nodiscard]] engine::Timings timings() const;
  void dropReply();
  [[nodiscard]] std::string whereText() const;

  HubNetwork* m_network;
  Order m_order;
  Sink m_sink;
  QPointer<QNetworkReply> m_reply;
  QTimer m_silence, m_more;
  SseReader m_reader;
  ChatBody m_sent;  // the latest request
  QString m_certificate;
  QByteArray m_body;  // of a refusal, or of a reply that is not streamed
  qint64 m_received = 0;
  ServerFigures m_figures;
  CallCollector m_calls;
  QString m_finish;
  QString m_other;  // the beginning of the first event that is no piece; empty: there was none
  TimePoint m_began{}, m_first{}, m_last{};
  std::vector<float> m_gaps;  // ms between pieces
  int m_pieces = 0;
  bool m_ended = false;
};

}  // namespace minerva::app
