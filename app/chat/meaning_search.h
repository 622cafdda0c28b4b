// The search by meaning: computes vectors of all messages with the embedding model the user chose, while nothing else computes, keeps
// them in the store, and finds conversations by them. Off until a model is chosen.
//
// GUI thread only; the model runs on a thread of its own. A message is represented by its first 512 tokens, without reasoning.
// Computing begins two seconds after the last activity and stops within a step (16 messages at most) when something begins. The
// model is unloaded after a minute without use.
#pragma once

#include "app/chat/chat_types.h"
#include "app/inference/text_embedder.h"
#include "core/base/task_queue.h"

#include <QObject>
#include <QTimer>
#include <qqmlregistration.h>

#include <stop_token>
#include <vector>

namespace minerva::app {

class StoreThread;

class MeaningSearch : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(bool on READ isOn NOTIFY changed)
  Q_PROPERTY(int done READ done NOTIFY changed)            // messages with a vector
  Q_PROPERTY(int total READ total NOTIFY changed)          // messages that can have one; 0: not counted yet
  Q_PROPERTY(QString problem READ problem NOTIFY changed)  // why the chosen model cannot be used, one line; empty: none
 public:
  static constexpr int idleMs = 2000, unloadAfterMs = 60000, stepMessages = 16, mostFound = 20;

  explicit MeaningSearch(StoreThread* store, QObject* parent = nullptr);
  ~MeaningSearch() override;

  void setModel(const QString& path);  // empty: off. Vectors of other models are forgotten when one is chosen
  void setBusy(bool busy);             // a reply is generated, a model loads, or another part of the program computes
  void ask(const QString& words);      // answered by found()
  [[nodiscard]] bool isOn() const { return !m_model.isEmpty(); }
  [[nodiscard]] bool isComputing() const { return m_computing; }
  [[nodiscard]] int done() const { return m_count.done; }
  [[nodiscard]] int total() const { return m_count.total; }
  [[nodiscard]] QString problem() const { return m_problem; }

 Q_SIGNALS:
  void changed();
  void computingChanged();
  void found(const QString& words, const std::vector<minerva::app::Found>& found);  // best first; the excerpts are escaped

 private:
  void begin();
  void embed(const std::vector<TextToEmbed>& texts);
  void takeVectors(const QString& key, const std::vector<TextToEmbed>& texts, const Result<EmbeddedTexts>& made);
  void takeQuery(const QString& words, const QString& key, const Result<EmbeddedTexts>& made);
  void recount();
  void pause();  // computing goes on two seconds later
  void setComputing(bool computing);
  void fail(const minerva::Error& error);
  StoreThread* m_store;
  QString m_model, m_key, m_problem, m_asked;
  VectorCount m_count;
  bool m_busy = false, m_computing = false;
  QTimer m_idle, m_unused;
  std::stop_source m_step, m_query;
  TextEmbedder m_embedder;  // used on the queue's thread only
  TaskQueue m_queue{64};    // last member: joins its thread before the other members are destroyed
};

// Those that stand out, best first: at least as near to the best score as to the median of all conversations. The scores of a model lie
// in a band of its own (0.7 to 0.9 for one, 0 to 0.5 for another), so no fixed threshold fits them all. all: best first.
[[nodiscard]] std::vector<NearMessage> thatStandOut(const std::vector<NearMessage>& all, int most);

}  // namespace minerva::app
