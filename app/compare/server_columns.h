// The columns of a comparison whose models are on servers: one request for each prompt, as a client. GUI thread only.
//
// Figures are those that a client can know: time to first token, and speeds if the server tells how many tokens it has written; the
// column's notes say what is not known. A refusal ends its own column only.
#pragma once

#include "app/compare/compare_types.h"
#include "app/inference/other_engine.h"

#include <QObject>

#include <map>
#include <optional>
#include <vector>

namespace minerva::app {

class ServerColumns : public QObject {
  Q_OBJECT
 public:
  explicit ServerColumns(QObject* parent = nullptr) : QObject(parent) {}
  ~ServerColumns() override;

  void setEngine(OtherEngine* engine);  // not owned, used by nobody else; it must outlive this object
  // The model at a path of a server's model; nullopt: it is none.
  [[nodiscard]] std::optional<CompareModel> model(const QString& path) const;

  void prepare(const std::vector<CompareModel>& models, const CompareSettings& settings);  // sends nothing
  void begin();  // all at once if interleaved, else one after another
  void stop();
  [[nodiscard]] bool hasBegun() const { return m_begun; }
  [[nodiscard]] bool hasEnded() const;
  [[nodiscard]] bool wasStopped() const { return m_stopped; }
  [[nodiscard]] const std::vector<CompareColumn>& columns() const { return m_columns; }

 private:
  // Of the replies of a column so far.
  struct Totals {
    std::vector<double> intervals;  // ms between pieces
    double ttftMs = 0, decodeMs = 0;
    int decoded = 0;           // tokens after the first
    bool isCounted = true;     // the server tells the number of tokens
    bool isByToken = true;     // each piece was a token
    int pieces = 0;            // of the reply being written
    bool isAnswering = false;  // its reasoning is over
  };
  void ask(std::size_t column, std::size_t prompt);
  void goOn();
  void hear(quint64 ticket, const engine::Event& event, const RequestSpan& span);
  void hearPiece(std::size_t column, const engine::TokenEvent& piece, bool isCounted);
  void columnBegun(CompareColumn& column) const;
  void replyEnded(std::size_t column, const engine::Timings& timings, bool isCounted);
  void columnEnded(std::size_t column);
  void failColumn(std::size_t column, const minerva::Error& error);
  OtherEngine* m_engine = nullptr;
  CompareSettings m_settings;
  std::vector<CompareColumn> m_columns;
  std::vector<Totals> m_totals;              // one for each column
  std::map<quint64, std::size_t> m_running;  // column by ticket
  quint64 m_lastTicket = 0;
  bool m_begun = false, m_stopped = false;
};

}  // namespace minerva::app
