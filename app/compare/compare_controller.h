// The comparison page: chosen models and question, the run, its result, the kept runs. GUI thread only.
//
// Works on a job (its own thread) and an archive (another); looks at the job a few times a second while it runs. A
// finished run is kept at once; one that was stopped or that no column of came through is not.
#pragma once

#include "app/compare/column_model.h"
#include "app/compare/compare_archive.h"
#include "app/compare/compare_job.h"
#include "app/compare/runs_model.h"
#include "app/inference/load_preferences.h"

#include <QFutureWatcher>
#include <QTimer>
#include <QUrl>

#include <functional>
#include <optional>

namespace minerva::app {

class CompareController : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(minerva::app::ColumnModel* columns READ columns CONSTANT)
  Q_PROPERTY(minerva::app::CompareRunsModel* runs READ runs CONSTANT)
  Q_PROPERTY(State state READ state NOTIFY changed)
  Q_PROPERTY(bool hasBuiltIn READ hasBuiltIn CONSTANT)                               // tryBuiltIn() has something to try
  Q_PROPERTY(bool canRun READ canRun NOTIFY changed)                                 // two to four models and a prompt, and nothing runs
  Q_PROPERTY(QString prompt READ prompt WRITE setPrompt NOTIFY promptChanged)        // one a line: several lines are several prompts
  Q_PROPERTY(bool interleaved READ interleaved WRITE setInterleaved NOTIFY changed)  // all loaded, side by side; else one after another
  Q_PROPERTY(bool greedy READ greedy WRITE setGreedy NOTIFY changed)                 // else sampled as in the chat, with a fixed seed
  Q_PROPERTY(int maxTokens READ maxTokens WRITE setMaxTokens NOTIFY changed)
  Q_PROPERTY(QStringList prompts READ prompts NOTIFY changed)  // of the run shown
  Q_PROPERTY(int shownPrompt READ shownPrompt WRITE setShownPrompt NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)      // "3 models, same 41 prompt tokens, greedy, seed 7"
  Q_PROPERTY(QString reference READ reference NOTIFY changed)  // label of the most precise one; "": not known yet
  Q_PROPERTY(int positions READ positions NOTIFY changed)      // tokens that distances are means over
  Q_PROPERTY(QString device READ device NOTIFY changed)
  Q_PROPERTY(qint64 runId READ runId NOTIFY changed)                     // of the kept run that is shown; 0: none
  Q_PROPERTY(minerva::app::ErrorInfo notice READ notice NOTIFY changed)  // why nothing was run, or not kept
  Q_PROPERTY(bool canRunInTurn READ canRunInTurn NOTIFY changed)         // the notice is about memory side by side
  Q_PROPERTY(QString verdict READ verdict NOTIFY changed)                // of a run that repeats another; "": it repeats none
  Q_PROPERTY(bool verdictAgrees READ verdictAgrees NOTIFY changed)
  Q_PROPERTY(QStringList verdictLines READ verdictLines NOTIFY changed)
  // A row a speed: [{model, figure, before, range, now, samples, judged, agrees}], in words.
  Q_PROPERTY(QVariantList verdictRows READ verdictRows NOTIFY changed)
 public:
  // Choosing: models and question can be changed. Preparing: copies of the built-in model are being made.
  enum State { Choosing, Preparing, Running, Done };
  Q_ENUM(State)

  struct Places {
    QString database;  // file
    QString copies;    // folder for copies of the built-in model
    QString builtIn;   // its folder; "": none
  };
  explicit CompareController(const Places& places, BackendOptions backend = {}, QObject* parent = nullptr);
  ~CompareController() override;

  void setPreferences(const LoadPreferences& preferences) { m_preferences = preferences; }  // keys and values as 16 bits, whatever it says
  void setChatSampling(std::function<engine::SamplingOptions()> sampling) { m_chatSampling = std::move(sampling); }
  void setText(const QString& text) { m_text = text; }       // for tests: what distances are measured over
  void setFreeBytes(quint64 bytes) { m_freeBytes = bytes; }  // for tests

  [[nodiscard]] ColumnModel* columns() { return &m_columns; }
  [[nodiscard]] CompareRunsModel* runs() { return &m_runs; }
  [[nodiscard]] State state() const { return m_state; }
  [[nodiscard]] bool hasBuiltIn() const { return !m_places.builtIn.isEmpty(); }
  [[nodiscard]] bool canRun() const;
  [[nodiscard]] QString prompt() const { return m_prompt; }
  [[nodiscard]] bool interleaved() const { return m_interleaved; }
  [[nodiscard]] bool greedy() const { return m_greedy; }
  [[nodiscard]] int maxTokens() const { return m_maxTokens; }
  [[nodiscard]] QStringList prompts() const { return m_run.settings.prompts; }
  [[nodiscard]] int shownPrompt() const { return m_shownPrompt; }
  [[nodiscard]] QString summary() const;
  [[nodiscard]] QString reference() const;
  [[nodiscard]] int positions() const { return m_run.positions; }
  [[nodiscard]] QString device() const { return m_run.device; }
  [[nodiscard]] qint64 runId() const { return m_run.id; }
  [[nodiscard]] ErrorInfo notice() const { return m_notice; }
  [[nodiscard]] bool canRunInTurn() const { return m_canRunInTurn; }
  [[nodiscard]] QString verdict() const { return m_verdict; }
  [[nodiscard]] bool verdictAgrees() const { return m_verdictAgrees; }
  [[nodiscard]] QStringList verdictLines() const { return m_verdictLines; }
  [[nodiscard]] QVariantList verdictRows() const { return m_verdictRows; }
  [[nodiscard]] const CompareRun& run() const { return m_run; }

  void setPrompt(const QString& prompt);
  void setInterleaved(bool interleaved);
  void setGreedy(bool greedy);
  void setMaxTokens(int tokens);
  void setShownPrompt(int prompt);

  Q_INVOKABLE void tryBuiltIn();  // three formats of the built-in model and a prompt it can answer; runs
  Q_INVOKABLE void addModel(const QString& path, const QString& name, const QString& format, const QString& type);
  Q_INVOKABLE void addUrl(const QUrl& url);
  Q_INVOKABLE void removeModel(int row);
  Q_INVOKABLE void start();
  Q_INVOKABLE void startInTurn();  // the same, one after another
  Q_INVOKABLE void stop();
  Q_INVOKABLE void runAgain();   // the shown run's question to its models; then verdict says whether it agrees
  Q_INVOKABLE void startOver();  // Choosing, with nothing chosen
  Q_INVOKABLE void change();     // Choosing, with the same models and question
  Q_INVOKABLE void open(qint64 runId);
  Q_INVOKABLE void remove(qint64 runId);
  Q_INVOKABLE void dismissNotice();
  // kind: "md", "csv" or "json". False: it could not be written; then `notice` says why.
  Q_INVOKABLE bool exportTo(const QUrl& file, const QString& kind);
  Q_INVOKABLE [[nodiscard]] QString exportText(const QString& kind) const;
  Q_INVOKABLE [[nodiscard]] QString localPath(const QUrl& url) const { return url.toLocalFile(); }

 Q_SIGNALS:
  void changed();
  void promptChanged();

 private:
  using Twins = Result<std::vector<CompareModel>>;
  void begin(CompareSettings settings);
  void look();
  void finished(const CompareProgress& progress);
  void show(const CompareRun& run);
  void twinsMade(const Twins& twins);
  void setNotice(const ErrorInfo& notice, bool canRunInTurn = false);
  void clearVerdict();
  void judgeRepetition();
  [[nodiscard]] CompareSettings settings() const;

  Places m_places;
  BackendOptions m_backend;
  LoadPreferences m_preferences;
  std::function<engine::SamplingOptions()> m_chatSampling;
  QString m_text;
  quint64 m_freeBytes = 0;
  ColumnModel m_columns;
  CompareRunsModel m_runs;
  CompareArchive m_archive;
  State m_state = Choosing;
  QString m_prompt;
  bool m_interleaved = false, m_greedy = true;
  int m_maxTokens = 96, m_shownPrompt = 0;
  CompareRun m_run;                    // shown
  std::optional<CompareRun> m_before;  // the run that is being repeated
  std::vector<CompareRun> m_earlier;   // and others of the same comparison; that one last
  ErrorInfo m_notice;
  bool m_canRunInTurn = false, m_verdictAgrees = false;
  QString m_verdict;
  QStringList m_verdictLines;
  QVariantList m_verdictRows;
  std::stop_source m_copying;
  QFutureWatcher<Twins> m_twins;
  QTimer m_timer;
  CompareJob m_job;  // last: stopped and joined before the rest goes
};

}  // namespace minerva::app
