#include "app/library/load_forecast.h"

#include <QFutureWatcher>
#include <QtConcurrent>

namespace minerva::app {

void LoadForecast::ask(const QString& model, const FitQuestion& question) {
  const Question asked{model, question};
  if (asked == m_asked) return;
  m_asked = asked;
  m_answered = false;
  workOutNext();
}

void LoadForecast::setWanted(bool wanted) {
  if (wanted == m_wanted) return;
  m_wanted = wanted;
  if (wanted) m_answered = m_asked.model.isEmpty();  // what is free may have changed
  Q_EMIT wantedChanged();
  workOutNext();
}

void LoadForecast::workOutNext() {
  if (m_working || m_answered || !m_wanted) return;
  m_working = m_answered = true;
  auto* watcher = new QFutureWatcher<FitVerdict>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, model = m_asked.model] {
    watcher->deleteLater();
    m_working = false;
    if (m_answered) {
      m_verdict = watcher->result();
      m_model = m_verdict.context > 0 ? model : QString();
      Q_EMIT changed();
    }
    workOutNext();
  });
  watcher->setFuture(QtConcurrent::run(&checkFit, m_asked.fit));
}

}  // namespace minerva::app
