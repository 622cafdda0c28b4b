// Predicts how much device memory a model, with its draft model, would take with the present settings, before it is loaded.
//
// Computed from the file's header on a worker thread, only while `wanted` is set; of the questions asked during a computation
// only the latest is answered. GUI thread only.
#pragma once

#include "app/inference/fit_check.h"

#include <QObject>
#include <qqmlregistration.h>

namespace minerva::app {

class LoadForecast : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("made by AppServices")
  Q_PROPERTY(bool wanted READ isWanted WRITE setWanted NOTIFY wantedChanged)  // a page shows the forecast
  Q_PROPERTY(QString model MEMBER m_model NOTIFY changed)                     // its name; "": no forecast
  Q_PROPERTY(QString fit READ fit NOTIFY changed)                             // "", "fits", "slow", "no", "cannot", as in the library
  Q_PROPERTY(QString reason READ reason NOTIFY changed)   // why it does not fit, or only partly on the device, with figures
  Q_PROPERTY(int context READ context NOTIFY changed)     // tokens
  Q_PROPERTY(double weights READ weights NOTIFY changed)  // bytes; so are the next three
  Q_PROPERTY(double cache READ cache NOTIFY changed)
  Q_PROPERTY(double scratch READ scratch NOTIFY changed)
  Q_PROPERTY(double room READ room NOTIFY changed)
  Q_PROPERTY(QString draftName READ draftName NOTIFY changed)  // "": none will be used; its bytes are not in the figures above
  Q_PROPERTY(double draftWeights READ draftWeights NOTIFY changed)
  Q_PROPERTY(double draftCache READ draftCache NOTIFY changed)
  Q_PROPERTY(double draftScratch READ draftScratch NOTIFY changed)
  Q_PROPERTY(double total READ total NOTIFY changed)           // of both models
  Q_PROPERTY(QString draftLeft READ draftLeft NOTIFY changed)  // why the chosen draft model will not be used; "": it will, or there is none
 public:
  explicit LoadForecast(QObject* parent = nullptr) : QObject(parent) {}
  void ask(const QString& model, const FitQuestion& question);

  [[nodiscard]] bool isWanted() const { return m_wanted; }
  void setWanted(bool wanted);
  [[nodiscard]] QString fit() const { return fitName(m_verdict.kind); }
  [[nodiscard]] QString model() const { return m_model; }
  [[nodiscard]] bool isRefused() const { return m_verdict.refused || m_verdict.kind == FitVerdict::CannotRun; }
  [[nodiscard]] QString reason() const { return m_verdict.reason; }
  [[nodiscard]] int context() const { return m_verdict.context; }
  [[nodiscard]] double weights() const { return static_cast<double>(m_verdict.placed); }
  [[nodiscard]] double cache() const { return static_cast<double>(m_verdict.cache); }
  [[nodiscard]] double scratch() const { return static_cast<double>(m_verdict.beside - m_verdict.cache); }
  [[nodiscard]] double room() const { return static_cast<double>(m_verdict.room); }
  [[nodiscard]] QString draftName() const { return m_verdict.draftName; }
  [[nodiscard]] double draftWeights() const { return static_cast<double>(m_verdict.draftWeights); }
  [[nodiscard]] double draftCache() const { return static_cast<double>(m_verdict.draftCache); }
  [[nodiscard]] double draftScratch() const { return static_cast<double>(m_verdict.draftScratch); }
  [[nodiscard]] double total() const { return static_cast<double>(m_verdict.placed + m_verdict.beside + m_verdict.draftTotal()); }
  [[nodiscard]] QString draftLeft() const { return m_verdict.draftLeft; }

 Q_SIGNALS:
  void changed();
  void wantedChanged();

 private:
  struct Question {
    QString model;
    FitQuestion fit;
    friend bool operator==(const Question&, const Question&) = default;
  };
  void workOutNext();
  QString m_model;
  FitVerdict m_verdict;
  Question m_asked;
  bool m_wanted = false, m_working = false, m_answered = true;
};

}  // namespace minerva::app
