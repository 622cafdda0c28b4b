// The stored comparisons on the page: opening them over what was typed, deleting them.
#include "app/compare/compare_controller.h"
#include "app_test.h"
#include "patience.h"
#include "utf8.h"
#include "tests/support/no_threads.h"

#include <QTemporaryDir>

using namespace minerva::app;

namespace {

CompareRun runOf(const char* prompt) {
  CompareRun run;
  run.created = QDateTime::currentDateTime();
  run.settings.prompts = QStringList{s(prompt)};
  run.settings.interleaved = false;
  run.settings.maxTokens = 32;
  for (const char* name : {"one", "two"}) {
    CompareColumn& column = run.columns.emplace_back();
    column.model = {s("/models/") + s(name), s(name), s("GGUF"), s("Q8_0")};
    column.stage = ColumnStage::done;
    column.replies.resize(1);
  }
  return run;
}

}  // namespace

class CompareRunsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder.emplace();
    auto store = CompareStore::open(file());
    QVERIFY(store && (*store)->add(runOf("A bear?")) && (*store)->add(runOf("A fox?")));
  }

  void whatWasTypedComesBackAfterAnEarlierRun() {
    CompareController page({file(), m_folder->path(), {}});
    QTRY_COMPARE(page.runs()->count(), 2);
    page.addModel(s("/models/mine"), s("mine"), s("MLX"), s("4-bit"));
    page.setPrompt(s("My own prompt"));
    page.setInterleaved(true);
    page.setGreedy(false);
    page.setMaxTokens(512);
    for (int row = 0; row < 2; ++row) {
      page.open(page.runs()->idAt(row));
      QTRY_COMPARE(page.runId(), page.runs()->idAt(row));
      QCOMPARE(page.columns()->count(), 2);
      QVERIFY(page.prompt() != s("My own prompt"));
    }
    page.startOver();
    QCOMPARE(page.state(), CompareController::Choosing);
    QCOMPARE(page.columns()->count(), 1);
    QCOMPARE(page.columns()->columns()[0].model.path, s("/models/mine"));
    QCOMPARE(page.prompt(), s("My own prompt"));
    QVERIFY(page.interleaved() && !page.greedy());
    QCOMPARE(page.maxTokens(), 512);
    page.startOver();  // and then it is gone
    QCOMPARE(page.columns()->count(), 0);
  }

  // What an earlier run left in the form takes the place of what was typed only if it was changed.
  void whatWasTypedOutlivesAnEarlierRunThatIsChanged() {
    for (const bool edited : {false, true}) {
      CompareController page({file(), m_folder->path(), {}});
      QTRY_COMPARE(page.runs()->count(), 2);
      page.addModel(s("/models/mine"), s("mine"), s("MLX"), s("4-bit"));
      page.setPrompt(s("My own prompt"));
      page.open(page.runs()->idAt(0));
      QTRY_COMPARE(page.runId(), page.runs()->idAt(0));
      page.change();
      QCOMPARE(page.prompt(), s("A fox?"));
      if (edited) page.setPrompt(s("Two foxes?"));
      page.open(page.runs()->idAt(1));
      QTRY_COMPARE(page.runId(), page.runs()->idAt(1));
      page.startOver();
      QCOMPARE(page.columns()->count(), edited ? 2 : 1);
      QCOMPARE(page.prompt(), edited ? s("Two foxes?") : s("My own prompt"));
    }
  }

  // What was changed is then given up.
  void aRunThatIsToBeChangedCanBeKept() {
    CompareController page({file(), m_folder->path(), {}});
    QTRY_COMPARE(page.runs()->count(), 2);
    QVERIFY(!page.isChanging());
    const qint64 fox = page.runs()->idAt(0);
    page.open(fox);
    QTRY_COMPARE(page.runId(), fox);
    const std::size_t columns = page.run().columns.size();
    page.change();
    QVERIFY(page.isChanging());
    page.setPrompt(s("Two foxes?"));
    page.keep();
    QCOMPARE(page.state(), CompareController::Done);
    QVERIFY(!page.isChanging());
    QCOMPARE(page.runId(), fox);
    QCOMPARE(page.prompt(), s("A fox?"));
    QCOMPARE(page.run().columns.size(), columns);
    QVERIFY(!page.run().columns[0].replies.empty());
    page.startOver();
    QCOMPARE(page.prompt(), QString());  // nothing had been typed before
    QVERIFY(!page.isChanging());
    page.keep();
    QCOMPARE(page.state(), CompareController::Choosing);
  }

  void aSystemWithoutAThreadIsSaid() {
    const minerva::tests::NoThreads none;
    CompareJob job;
    job.start({.models = {{s("/models/mine"), s("mine"), s("MLX"), s("4-bit")}}, .settings = {}, .device = {}, .text = {}});
    QVERIFY(!job.isRunning() && !job.progress().running);
    QVERIFY(job.progress().refusal);
  }

  void aDeletedRunCanBeBroughtBack() {
    {
      CompareController page({file(), m_folder->path(), {}});
      QTRY_COMPARE(page.runs()->count(), 2);
      const qint64 fox = page.runs()->idAt(0), bear = page.runs()->idAt(1);
      page.remove(fox);
      QCOMPARE(page.removedTitle(), s("A fox?"));
      QCOMPARE(page.runs()->count(), 1);
      page.open(fox);
      QTRY_COMPARE(page.runId(), fox);  // it is still there
      page.undoRemove();
      QCOMPARE(page.removedTitle(), QString());
      QCOMPARE(page.runs()->idAt(0), fox);
      page.remove(fox);  // the one that is shown
      QCOMPARE(page.state(), CompareController::Choosing);
      page.dismissUndo();
      QCOMPARE(page.removedTitle(), QString());
      page.remove(bear);  // and the program ends
      QCOMPARE(page.runs()->count(), 0);
    }
    auto store = CompareStore::open(file());
    QVERIFY(store && (*store)->runs() && (*store)->runs()->empty());
  }

 private:
  QString file() const { return m_folder->filePath(s("comparisons.sqlite")); }
  std::optional<QTemporaryDir> m_folder;
};

APP_TEST(CompareRunsTest, "compare_runs", QCoreApplication)
#include "tst_compare_runs.moc"
