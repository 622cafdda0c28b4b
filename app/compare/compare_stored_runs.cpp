// CompareController's finished runs: shown, repeated, exported and deleted.
#include "app/compare/compare_controller.h"
#include "app/compare/export.h"
#include "app/compare/repeat.h"
#include "app/metrics/figures.h"
#include "app/storage/write_file.h"

#include <algorithm>
#include <utility>

namespace minerva::app {

void CompareController::runAgain() {
  if (m_state != Done) return;
  m_before = m_run;
  m_earlier = {m_run};
  if (m_run.id != 0) m_archive.readSame(m_run.id);  // arrives long before the run ends
  begin(m_run.settings);
}

void CompareController::judgeRepetition() {
  const RepeatVerdict verdict = compareRuns(m_earlier, m_run);
  m_verdict = verdict.summary;
  m_verdictAgrees = verdict.agrees;
  m_verdictLines = verdict.lines;
  m_verdictRows.clear();
  const auto number = [](double value) { return Figures::speed(value); };
  for (const RepeatRow& row : verdict.rows)
    m_verdictRows.push_back(QVariantMap{
        {QStringLiteral("model"), row.model},
        {QStringLiteral("figure"), row.figure},
        {QStringLiteral("before"), number(row.before)},
        {QStringLiteral("range"), row.judged() ? tr("%1 to %2").arg(number(std::max(0.0, row.low)), number(row.high)) : tr("not known")},
        {QStringLiteral("now"), number(row.after)},
        {QStringLiteral("samples"), row.overRuns ? tr("%n run(s)", nullptr, row.samples) : tr("%n prompt(s)", nullptr, row.samples)},
        {QStringLiteral("judged"), row.judged()},
        {QStringLiteral("agrees"), row.agrees()}});
}

void CompareController::open(qint64 runId) {
  if (m_state != Running && m_state != Preparing) m_archive.read(runId);
}

void CompareController::show(const CompareRun& run) {
  if (m_state == Running || m_state == Preparing) return;
  if (Form now = form(); m_state == Choosing && now != m_openedForm) m_form = std::move(now);
  m_run = run;
  m_left.reset();
  m_before.reset();
  m_notice = {};
  clearVerdict();
  m_state = Done;
  m_columns.set(run.columns);
  m_interleaved = run.settings.interleaved;
  m_greedy = run.settings.sampling.temperature <= 0;
  m_maxTokens = run.settings.maxTokens;
  setPrompt(run.settings.prompts.join(QLatin1Char('\n')));
  m_openedForm = form();
  setShownPrompt(0);
}

void CompareController::remove(qint64 runId) {
  const auto found = std::ranges::find(m_stored, runId, &CompareSummary::id);
  if (found == m_stored.end() || runId == m_removed.id) return;
  const CompareSummary run = *found;
  dismissUndo();
  setRemoved(run);
  if (m_run.id == runId && m_state == Done) startOver();
}

void CompareController::undoRemove() { setRemoved({}); }

void CompareController::dismissUndo() {
  if (m_removed.id == 0) return;
  m_archive.remove(m_removed.id);
  std::erase_if(m_stored, [this](const CompareSummary& run) { return run.id == m_removed.id; });
  setRemoved({});
}

void CompareController::setRemoved(const CompareSummary& run) {
  m_removed = run;
  std::vector<CompareSummary> listed = m_stored;
  std::erase_if(listed, [this](const CompareSummary& each) { return each.id == m_removed.id; });
  m_runs.set(std::move(listed));
  Q_EMIT removedChanged();
}

void CompareController::clearVerdict() {
  m_verdict.clear();
  m_verdictLines.clear();
  m_verdictRows.clear();
}

bool CompareController::exportTo(const QUrl& file, const QString& kind) {
  const QString text = kind == QLatin1String("csv")    ? toCsv(m_run)
                       : kind == QLatin1String("json") ? QString::fromUtf8(toJson(m_run))
                                                       : toMarkdown(m_run);
  const auto done = writeFile(file.toLocalFile(), text.toUtf8());
  if (!done) setNotice(ErrorInfo::from(done.error(), tr("The comparison could not be exported")));
  return done.has_value();
}

}  // namespace minerva::app
