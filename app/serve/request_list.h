// The latest requests to the local server, newest first, updated while they are answered. Texts are from clients: plain text only.
//
// GUI thread only, but for note(). Changes reach the window at most ten times a second, however many there are.
#pragma once

#include "core/serve/watch.h"

#include <QAbstractListModel>
#include <QTimer>
#include <qqmlregistration.h>

#include <map>
#include <mutex>
#include <vector>

namespace minerva::app {

class RequestList : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with LocalServer")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(int underway READ underway NOTIFY changed)  // of the rows
 public:
  enum State { Waiting, Prefill, Writing, Done, Failed, Cancelled };
  Q_ENUM(State)
  enum Role {
    TimeRole = Qt::UserRole + 1,  // time: "14:03:22"
    ClientRole,                   // client: the address it came from
    RouteRole,                    // route: "POST /v1/chat/completions"
    ModelRole,                    // modelName; "": none answered
    StateRole,                    // requestState: of State
    StateTextRole,                // stateText: in words
    ProblemRole,                  // problem: why it failed
    PromptRole,                   // promptTokens; NaN: not known (yet), as are the figures below
    TokensRole,                   // tokens
    TtftRole,                     // ttft, ms
    SpeedRole,                    // speed, tok/s
  };
  static constexpr std::size_t mostRows = 200;
  static constexpr int updateMs = 100;

  explicit RequestList(QObject* parent = nullptr);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }
  [[nodiscard]] int underway() const;
  Q_INVOKABLE void clear();  // drops those that are over

  void note(const serve::Sight& sight);  // any thread
  // The rows belong to a server whose numbers begin at 1; the next ones to another. Call when no request is underway.
  void beginAnew();

 Q_SIGNALS:
  void changed();
  void used();  // some of the changes were about requests that the model runs, or ran

 private:
  struct Row {
    quint64 session = 0;
    serve::Sight sight;
  };
  void take();
  void place(const serve::Sight& sight);

  std::vector<Row> m_rows;
  quint64 m_session = 0;
  QTimer m_timer;
  std::mutex m_mutex;
  std::map<std::uint64_t, serve::Sight> m_waiting;  // guarded; by number, the newest mostRows
  bool m_scheduled = false;                         // guarded
};

}  // namespace minerva::app
