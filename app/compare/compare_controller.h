// Controller of the comparison page: chosen models and prompts, the run and its results, the stored runs. GUI thread only.
//
// The models of this computer run in a CompareJob, and runs are stored by a CompareArchive, each on its own thread; the job is polled
// several times per second. Those of servers run after them, or meanwhile if side by side (ServerColumns). A finished run is stored
// immediately, unless it was stopped or all columns failed.
#pragma once

#include "app/compare/column_model.h"
#include "app/compare/compare_archive.h"
#include "app/compare/compare_job.h"
#include "app/compare/runs_model.h"
#include "app/compare/server_columns.h"
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
  Q_PROPERTY(bool changing READ isChanging NOTIFY changed)                           // keep() is possible
  Q_PROPERTY(bool hasBuiltIn READ hasBuiltIn CONSTANT)                               // tryBuiltIn() is possible
  Q_PROPERTY(bool canRun READ canRun NOTIFY changed)                                 // two to four models, a prompt, and no run in progress
  Q_PROPERTY(QStringList servers READ servers NOTIFY changed)                        // of the chosen models: the prompts are sent there
  Q_PROPERTY(QString prompt READ prompt WRITE setPrompt NOTIFY promptChanged)        // one prompt per line
  Q_PROPERTY(bool interleaved READ interleaved WRITE setInterleaved NOTIFY changed)  // all loaded, side by side; else one after another
  Q_PROPERTY(bool greedy READ greedy WRITE setGreedy NOTIFY changed)                 // else sampled as in the chat, with a fixed seed
  Q_PROPERTY(int maxTokens READ maxTokens WRITE setMaxTokens NOTIFY changed)
  Q_PROPERTY(QStringList prompts READ prompts NOTIFY changed)  // of the run shown
  Q_PROPERTY(QDateTime created READ created NOTIFY changed)    // of the run shown; invalid: none is
  Q_PROPERTY(int shownPrompt READ shownPrompt WRITE setShownPrompt NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)      // "3 models, same 41 prompt tokens, greedy, seed 7"
  Q_PROPERTY(QString reference READ reference NOTIFY changed)  // label of the reference column; "": unknown so far
  Q_PROPERTY(int positions READ positions NOTIFY changed)      // number of tokens that distances are averaged over
  Q_PROPERTY(QString device READ device NOTIFY changed)
  Q_PROPERTY(qint64 runId READ runId NOTIFY changed)                        // of the stored run that is shown; 0: none
  Q_PROPERTY(QString removedTitle READ removedTitle NOTIFY removedChanged)  // of the run that undoRemove() brings back; "": none
  Q_PROPERTY(minerva::app::ErrorInfo notice READ notice NOTIFY changed)     // why the comparison did not run or was not stored
  Q_PROPERTY(bool canRunInTurn READ canRunInTurn NOTIFY changed)            // models do not fit side by side: offer startInTurn()
  Q_PROPERTY(QString verdict READ verdict NOTIFY changed)                   // for a repeated run; "" for others
  Q_PROPERTY(bool verdictAgrees READ verdictAgrees NOTIFY changed)
  Q_PROPERTY(QStringList verdictLines READ verdictLines NOTIFY changed)
  // One row per speed, formatted for display: [{model, figure, before, range, now, samples, judged, agrees}].
  Q_PROPERTY(QVariantList verdictRows READ verdictRows NOTIFY changed)
 public:
  // Choosing: models and prompts can be changed. Preparing: the built-in model is being converted.
  enum State { Choosing, Preparing, Running, Done };
  Q_ENUM(State)

  struct Places {
    QString database;  // database file
    QString copies;    // folder for converted copies of the built-in model
    QString builtIn;   // folder of the built-in model; "": none
  };
  explicit CompareController(const Places& places, BackendOptions backend = {}, QObject* parent = nullptr);
  ~CompareController() override;

  void setPreferences(const LoadPreferences& preferences) { m_preferences = preferences; }  // kvType is ignored: the KV cache is always F16
  void setChatSampling(std::function<engine::SamplingOptions()> sampling) { m_chatSampling = std::move(sampling); }
  void setServers(OtherEngine* engine) { m_servers.setEngine(engine); }  // as ServerColumns::setEngine()
  void setText(const QString& text) { m_text = text; }                   // for tests: the text that distances are measured on
  void setFreeBytes(quint64 bytes) { m_freeBytes = bytes; }              // for tests

  [[nodiscard]] ColumnModel* columns() { return &m_columns; }
  [[nodiscard]] CompareRunsModel* runs() { return &m_runs; }
  [[nodiscard]] bool isChanging() const { return m_state == Choosing && m_left.has_value(); }
  [[nodiscard]] State state() const { return m_state; }
  [[nodiscard]] bool hasBuiltIn() const { return !m_places.builtIn.isEmpty(); }
  [[nodiscard]] bool canRun() const;
  [[nodiscard]] QStringList servers() const;
  [[nodiscard]] QString prompt() const { return m_prompt; }
  [[nodiscard]] bool interleaved() const { return m_interleaved; }
  [[nodiscard]] bool greedy() const { return m_greedy; }
  [[nodiscard]] int maxTokens() const { return m_maxTokens; }
  [[nodiscard]] QStringList prompts() const { return m_run.settings.prompts; }
  [[nodiscard]] QDateTime created() const { return m_run.created; }
  [[nodiscard]] int shownPrompt() const { return m_shownPrompt; }
  [[nodiscard]] QString summary() const;
  [[nodiscard]] QString reference() const;
  [[nodiscard]] int positions() const { return m_run.positions; }
  [[nodiscard]] QString device() const { return m_run.device; }
  [[nodiscard]] qint64 runId() const { return m_run.id; }
  [[nodiscard]] QString removedTitle() const { return m_removed.prompt.simplified(); }
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

  Q_INVOKABLE void tryBuiltIn();  // runs three formats of the built-in model with a suitable prompt
  Q_INVOKABLE void addModel(const QString& path, const QString& name, const QString& format, const QString& type);
  Q_INVOKABLE void addUrl(const QUrl& url);
  Q_INVOKABLE void addOfServer(const QString& path);  // RemoteModels' path. Sends nothing
  Q_INVOKABLE void removeModel(int row);
  Q_INVOKABLE void start();
  Q_INVOKABLE void startInTurn();  // like start(), but one model after another
  Q_INVOKABLE void stop();
  Q_INVOKABLE void runAgain();   // repeats the shown run; `verdict` then says whether the results agree
  Q_INVOKABLE void startOver();  // state Choosing, with no models; or as it was left when a stored run was opened
  Q_INVOKABLE void change();     // state Choosing, with the same models and prompts
  Q_INVOKABLE void keep();       // shows the run again that change() left
  Q_INVOKABLE void open(qint64 runId);
  Q_INVOKABLE void remove(qint64 runId);  // deleted by dismissUndo(), the next remove() or the program's end; not listed until then
  Q_INVOKABLE void undoRemove();
  Q_INVOKABLE void dismissUndo();
  Q_INVOKABLE void dismissNotice();
  // What was chosen and typed and not run, as JSON, for the next start; "": nothing. restore() ignores what is not of that form.
  [[nodiscard]] QString kept() const;
  void restore(const QString& kept);
  // kind: "md", "csv" or "json". Returns false if the file could not be written, and sets `notice`.
  Q_INVOKABLE bool exportTo(const QUrl& file, const QString& kind);
  Q_INVOKABLE [[nodiscard]] QString localPath(const QUrl& url) const { return url.toLocalFile(); }

 Q_SIGNALS:
  void changed();
  void promptChanged();
  void removedChanged();

 private:
  using Twins = Result<std::vector<CompareModel>>;
  // What was chosen and typed and not run.
  struct Form {
    std::vector<CompareModel> models;
    QString prompt;
    bool interleaved, greedy;
    int maxTokens;

    friend bool operator==(const Form&, const Form&) = default;
  };
  void begin(CompareSettings settings);
  void clear();
  [[nodiscard]] Form form() const;
  void setRemoved(const CompareSummary& run);
  void look();
  [[nodiscard]] CompareProgress progress() const;
  void beginOnServers(const CompareProgress& here);
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
  CompareRunsModel m_runs;  // m_stored but for m_removed
  std::vector<CompareSummary> m_stored;
  CompareSummary m_removed;  // id 0: none
  CompareArchive m_archive;
  State m_state = Choosing;
  QString m_prompt;
  bool m_interleaved = false, m_greedy = true;
  int m_maxTokens = 96, m_shownPrompt = 0;
  std::optional<Form> m_form;          // set aside by a stored run that was opened over it
  std::optional<Form> m_openedForm;    // that of the stored run that was opened last
  CompareRun m_run;                    // the run shown
  std::optional<CompareRun> m_before;  // the run being repeated
  std::optional<CompareRun> m_left;    // by change(); until another is run or shown
  std::vector<CompareRun> m_earlier;   // earlier runs of the same comparison; m_before last
  ErrorInfo m_notice;
  bool m_canRunInTurn = false, m_verdictAgrees = false;
  QString m_verdict;
  QStringList m_verdictLines;
  QVariantList m_verdictRows;
  std::stop_source m_copying;
  QFutureWatcher<Twins> m_twins;
  QTimer m_timer;
  ServerColumns m_servers;
  CompareJob m_job;  // last member: stopped and joined before the others are destroyed
};

}  // namespace minerva::app
