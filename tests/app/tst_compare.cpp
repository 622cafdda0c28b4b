// Comparisons on real models: the built-in one and converted copies of it, with the figures that the engine measured.
#include "app/compare/builtin_twins.h"
#include "app/compare/compare_controller.h"
#include "app/compare/compare_session.h"
#include "app/compare/export.h"
#include "app/compare/repeat.h"
#include "core/convert/convert.h"
#include "core/convert/mlx_folder.h"
#include "core/format/model_file.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <cmath>
#include <functional>
#include <new>
#include <utility>

using namespace minerva::app;

namespace {

// A comparison controller with its own folder, on the CPU.
struct Page {
  QTemporaryDir folder;
  CompareController controller{{folder.filePath(QStringLiteral("comparisons.sqlite")), folder.filePath(QStringLiteral("copies")), builtIn}};
  Page() {
    controller.setPreferences({.device = QStringLiteral("cpu")});
    controller.setPrompt(QStringLiteral("Tell me a story about a bear."));
    controller.setMaxTokens(24);
  }
  void add(const QString& path) { controller.addModel(path, QFileInfo(path).baseName(), {}, {}); }
  // Returns false if the comparison did not finish in time.
  bool run() {
    controller.start();
    return QTest::qWaitFor([this] { return controller.state() != CompareController::Running; }, patienceMs);
  }
  const CompareColumn& column(std::size_t i) const { return controller.run().columns[i]; }
};

std::string native(const QString& path) { return QFile::encodeName(path).toStdString(); }

QVariantMap figures(CompareController& page, int row) { return page.columns()->index(row).data(ColumnModel::FiguresRole).toMap(); }

}  // namespace

class CompareTest : public QObject {
  Q_OBJECT
  QTemporaryDir m_twins;

  QString gguf(const char* type) {
    const QString file = m_twins.filePath(QString::fromLatin1(type) + QStringLiteral(".gguf"));
    if (QFile::exists(file)) return file;
    const auto model = minerva::format::ModelFile::open(native(builtIn));
    const auto done = minerva::convert::convertToGguf(**model, native(file), {.type = type, .threads = 1, .progress = {}, .cancel = {}});
    return done ? file : QString();
  }
  QString mlx(int bits) {
    const QString folder = m_twins.filePath(QStringLiteral("mlx%1").arg(bits));
    if (QFile::exists(folder)) return folder;
    const auto model = minerva::format::ModelFile::open(native(builtIn));
    return minerva::convert::convertToMlx(**model, native(folder), {.bits = bits}) ? folder : QString();
  }

 private Q_SLOTS:
  // Two of three models have the same name, and all three have the same format and type.
  void modelsAreToldApartWhereverTheyAreNamed() {
    CompareRun run;
    run.created = QDateTime::currentDateTime();
    run.settings.prompts = QStringList{QStringLiteral("Who?")};
    const auto add = [&](const char* name, const char* path) {
      CompareColumn& column = run.columns.emplace_back();
      column.model = {QString::fromLatin1(path), QString::fromLatin1(name), QStringLiteral("GGUF"), QStringLiteral("Q8_0")};
      column.stage = ColumnStage::done;
      column.figures.decodeSpeed = 10;
      column.replies.resize(1);
      column.replies[0].text = QStringLiteral("I.");
    };
    add("Small", "/models/first.gguf");
    add("Small", "/models/second.gguf");
    add("Large", "/models/third.gguf");
    run.columns[1].reference = true;
    const QStringList names{QStringLiteral("Small · first"), QStringLiteral("Small · second"), QStringLiteral("Large")};

    ColumnModel columns;
    columns.set(run.columns);
    for (int row = 0; row < 3; ++row) QCOMPARE(columns.index(row).data(ColumnModel::LabelRole).toString(), names[row]);
    columns.remove(0);
    QCOMPARE(columns.index(0).data(ColumnModel::LabelRole).toString(), QStringLiteral("Small"));  // the name is unique now

    const QString markdown = toMarkdown(run);
    QVERIFY2(markdown.contains(QStringLiteral("Distances from Small · second")), qPrintable(markdown));
    const QStringList csv = toCsv(run).split(QStringLiteral("\r\n"));
    const QJsonArray json = QJsonDocument::fromJson(toJson(run)).object()[QStringLiteral("columns")].toArray();
    for (int i = 0; i < 3; ++i) {
      QVERIFY2(markdown.contains(QStringLiteral("| %1 | GGUF | Q8_0 |").arg(names[i])), qPrintable(markdown));
      QVERIFY2(markdown.contains(QStringLiteral("\n%1, GGUF Q8_0:\n").arg(names[i])), qPrintable(markdown));
      QVERIFY2(csv[i + 1].startsWith(QLatin1Char('"') + names[i] + QLatin1Char('"')), qPrintable(csv[i + 1]));
      QCOMPARE(json[i].toObject()[QStringLiteral("model")].toString(), names[i]);
    }
    CompareRun again = run;
    again.columns[0].replies[0].tokens = {5};
    const RepeatVerdict verdict = compareRuns({&run, 1}, again);
    QVERIFY2(verdict.lines[0].startsWith(names[0] + QLatin1Char(':')), qPrintable(verdict.lines[0]));

    QTemporaryDir folder;
    auto store = CompareStore::open(folder.filePath(QStringLiteral("c.sqlite")));
    QVERIFY(store && (*store)->add(run));
    const auto kept = (*store)->runs();
    QVERIFY(kept && kept->size() == 1);
    QCOMPARE(kept->front().models, names.join(QStringLiteral(", ")));
  }

  void theSameModelTwiceDoesNotDiffer() {
    Page page;
    page.add(builtIn);
    page.add(builtIn);
    QVERIFY(page.run());
    QCOMPARE(page.controller.state(), CompareController::Done);
    for (const std::size_t i : {0U, 1U}) {
      const CompareColumn& column = page.column(i);
      QCOMPARE(column.stage, ColumnStage::done);
      QCOMPARE(column.figures.kl, 0.0);
      QCOMPARE(column.figures.kl99, 0.0);
      QCOMPARE(column.figures.top1, 1.0);
      QCOMPARE(column.replies[0].differsAt, -1);
      QCOMPARE(column.replies[0].tokens, page.column(0).replies[0].tokens);
      QCOMPARE(column.figures.perplexity, page.column(0).figures.perplexity);
    }
    QVERIFY(page.column(0).reference && !page.column(1).reference);
    QCOMPARE(page.controller.positions(), 256);
  }

  void distanceGrowsAsBitsShrink() {
    Page page;
    page.add(mlx(2));
    page.add(gguf("q4_0"));
    page.add(builtIn);
    page.add(gguf("q8_0"));
    QVERIFY(page.run());
    const CompareColumn &two = page.column(0), &four = page.column(1), &original = page.column(2), &eight = page.column(3);
    QVERIFY(original.reference);  // in any column
    QCOMPARE(page.controller.reference(), QStringLiteral("builtin-model"));
    QCOMPARE(original.figures.kl, 0.0);
    QVERIFY(eight.figures.kl > 0);
    QVERIFY2(four.figures.kl > 3 * eight.figures.kl, qPrintable(QStringLiteral("%1 %2").arg(four.figures.kl).arg(eight.figures.kl)));
    QVERIFY2(two.figures.kl > 3 * four.figures.kl, qPrintable(QStringLiteral("%1 %2").arg(two.figures.kl).arg(four.figures.kl)));
    QVERIFY(two.figures.top1 < eight.figures.top1);
    QVERIFY(two.figures.bitsPerWeight < eight.figures.bitsPerWeight && eight.figures.bitsPerWeight < original.figures.bitsPerWeight);
    QVERIFY(two.figures.kl99 >= two.figures.kl);
    QCOMPARE(two.model.type, QStringLiteral("2-bit g64"));
    QCOMPARE(two.model.format, QStringLiteral("MLX"));
    // The reference's distance from itself is not marked as best; the closest of the others is.
    QVERIFY(!page.controller.columns()->index(2).data(ColumnModel::BestRole).toMap()[QStringLiteral("kl")].toBool());
    QVERIFY(page.controller.columns()->index(3).data(ColumnModel::BestRole).toMap()[QStringLiteral("kl")].toBool());
    qInfo("KL: 8 bits %.3g, 4 bits %.3g, 2 bits %.3g", eight.figures.kl, four.figures.kl, two.figures.kl);
  }

  void theTokenThatDiffersIsTheLikelierOneOnBothSides() {
    Page page;
    page.controller.setMaxTokens(64);
    page.add(builtIn);
    page.add(mlx(2));
    QVERIFY(page.run());
    const CompareReply &reference = page.column(0).replies[0], &other = page.column(1).replies[0];
    QVERIFY(other.differsAt >= 0);
    QCOMPARE(reference.tokens.mid(0, other.differsAt), other.tokens.mid(0, other.differsAt));
    QVERIFY(reference.tokens[other.differsAt] != other.tokens[other.differsAt]);
    // Greedy decoding: each model chose the token that it gave the higher probability.
    QVERIFY(other.ownInOwn > other.referenceInOwn);
    QVERIFY(other.referenceInReference > other.ownInReference);
    QVERIFY(other.ownInOwn + other.referenceInOwn <= 1 && other.referenceInReference + other.ownInReference <= 1);
    QCOMPARE(other.text.mid(other.markStart, other.markLength), other.ownToken);
    QCOMPARE(reference.text.mid(reference.markStart, reference.markLength), other.referenceToken);
    QCOMPARE(reference.text.left(reference.markStart), other.text.left(other.markStart));
  }

  void sideBySideSaysTheSameAsOneAfterAnother() {
    Page inTurn, together;
    together.controller.setInterleaved(true);
    for (Page* page : {&inTurn, &together}) {
      page->add(builtIn);
      page->add(gguf("q8_0"));
      QVERIFY(page->run());
    }
    for (const std::size_t i : {0U, 1U}) {
      QCOMPARE(together.column(i).stage, ColumnStage::done);
      QCOMPARE(together.column(i).replies[0].tokens, inTurn.column(i).replies[0].tokens);
      QCOMPARE(together.column(i).figures.kl, inTurn.column(i).figures.kl);
      QVERIFY(together.column(i).figures.decodeSpeed > 0 && together.column(i).figures.tpotP95 >= together.column(i).figures.tpotP50);
      QCOMPARE(together.column(i).notes.size(), 1);
      QVERIFY(inTurn.column(i).notes.isEmpty());
    }
  }

  void whatDoesNotFitTogetherIsSaidWithFiguresAndRunInTurn() {
    Page page;
    page.controller.setInterleaved(true);
    page.controller.setFreeBytes(20000000);
    page.add(builtIn);
    page.add(gguf("q8_0"));
    QVERIFY(page.run());
    QCOMPARE(page.controller.state(), CompareController::Choosing);
    QVERIFY(page.controller.canRunInTurn());
    QVERIFY2(page.controller.notice().detail.contains(QStringLiteral("MiB")), qPrintable(page.controller.notice().detail));
    QVERIFY2(page.controller.notice().hint.contains(QStringLiteral("One after another")), qPrintable(page.controller.notice().hint));
    page.controller.startInTurn();
    QTRY_COMPARE(page.controller.state(), CompareController::Done);
    QCOMPARE(page.column(1).stage, ColumnStage::done);
    QVERIFY(!page.controller.notice().isSet());
  }

  // A repetition that does not fit is run one after another as it was, or as the user has changed it since.
  void whatIsRunInTurnIsWhatTheFormSays() {
    const QString changed = QStringLiteral("Tell me a story about a fox.");
    for (const int edit : {0, 1, 2, 3}) {
      Page page;
      CompareController& controller = page.controller;
      minerva::engine::SamplingOptions sampling{.temperature = 0.5F, .seed = 11};
      controller.setChatSampling([&sampling] { return sampling; });
      controller.setGreedy(false);
      controller.setInterleaved(true);
      page.add(builtIn);
      page.add(gguf("q8_0"));
      controller.start();
      controller.stop();
      QTRY_COMPARE(controller.state(), CompareController::Done);
      controller.setFreeBytes(20000000);
      controller.runAgain();
      QTRY_COMPARE(controller.state(), CompareController::Choosing);
      QVERIFY(controller.canRunInTurn());
      sampling.seed = 12;  // the chat's settings have changed
      if (edit == 1) controller.setPrompt(changed);
      if (edit == 2) controller.setMaxTokens(25);
      if (edit == 3) controller.setGreedy(true);
      controller.startInTurn();
      QCOMPARE(controller.state(), CompareController::Running);
      const CompareSettings settings = controller.run().settings;
      controller.stop();
      QTRY_VERIFY(controller.state() != CompareController::Running);
      QVERIFY(!settings.interleaved);
      QCOMPARE(settings.prompts == QStringList{changed}, edit == 1);
      QCOMPARE(settings.maxTokens, edit == 2 ? 25 : 24);
      QCOMPARE(settings.sampling.temperature, edit == 3 ? 0.0F : 0.5F);
      if (edit != 3) QCOMPARE(settings.sampling.seed, edit == 0 ? 11U : 12U);
    }
  }

  void aColumnThatFailsLeavesTheOthers() {
    Page page;
    const QString broken = page.folder.filePath(QStringLiteral("broken.gguf"));
    QFile file(broken);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("GGUF but not really");
    file.close();
    page.add(broken);
    page.add(builtIn);
    page.add(QStringLiteral("/not/there.gguf"));
    page.add(gguf("q8_0"));
    QVERIFY(page.run());
    QCOMPARE(page.column(0).stage, ColumnStage::failed);
    QVERIFY(page.column(0).error.isSet() && page.column(0).error.details.contains(broken));
    QCOMPARE(page.column(2).stage, ColumnStage::failed);
    QCOMPARE(page.column(1).stage, ColumnStage::done);
    QCOMPARE(page.column(3).stage, ColumnStage::done);
    QVERIFY(page.column(3).figures.kl > 0);
  }

  void aPromptThatIsTooLongFailsItsColumnInTheEnginesWords() {
    for (const bool interleaved : {false, true}) {
      Page page;
      page.controller.setInterleaved(interleaved);
      page.controller.setPrompt(QStringLiteral("Tell me a story about a bear. ").repeated(300));
      page.add(builtIn);
      page.add(gguf("q8_0"));
      QVERIFY(page.run());
      for (const std::size_t i : {0U, 1U}) {
        QCOMPARE(page.column(i).stage, ColumnStage::failed);
        QVERIFY2(page.column(i).error.detail.contains(QStringLiteral("The prompt is longer than the context")),
                 qPrintable(page.column(i).error.detail));
      }
    }
  }

  // The reference has no tokens of the prompts after the one at which it failed.
  void theOthersGoOnWithoutTheReference() {
    QTemporaryDir shorter;
    for (const QFileInfo& file : QDir(builtIn).entryInfoList(QDir::Files))
      QVERIFY(QFile::copy(file.filePath(), shorter.filePath(file.fileName())));
    QFile config(shorter.filePath(QStringLiteral("config.json")));
    QVERIFY(config.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && config.open(QIODevice::ReadWrite));
    QByteArray text = config.readAll();
    QVERIFY(text.contains("\"max_position_embeddings\": 1024"));
    text.replace("\"max_position_embeddings\": 1024", "\"max_position_embeddings\": 64");
    QVERIFY(config.resize(0) && config.seek(0) && config.write(text) > 0);
    config.close();
    for (const bool interleaved : {false, true}) {
      Page page;
      page.controller.setInterleaved(interleaved);
      page.controller.setPrompt(QStringLiteral("Tell me a story about a bear. ").repeated(20) + QStringLiteral("\nWho are you?"));
      page.add(shorter.path());
      page.add(gguf("q8_0"));
      QVERIFY(page.run());
      QCOMPARE(page.column(0).stage, ColumnStage::failed);
      QVERIFY(page.column(0).reference);
      const CompareColumn& other = page.column(1);
      QCOMPARE(other.stage, ColumnStage::done);
      QCOMPARE(other.replies.size(), 2U);
      QVERIFY(other.replies[0].promptTokens > 64 && other.replies[1].promptTokens > 0 && other.replies[1].promptTokens < 64);
      QVERIFY(std::isnan(other.figures.kl));
    }
  }

  void aMeasurementWithoutMemoryFailsItsColumnOnly() {
    const CompareModel model{builtIn, QStringLiteral("model"), {}, {}};
    const CompareOrder order{.models = {model, model},
                             .settings = {.prompts = {QStringLiteral("Who?")}, .maxTokens = 4},
                             .device = QStringLiteral("cpu"),
                             .text = QStringLiteral("A bear went home."),
                             .positions = 4};
    CompareProgress progress;
    progress.columns.resize(2);
    bool failed = false;
    CompareSession session(order, {}, [&](const std::function<void(CompareProgress&)>& with) {
      with(progress);
      if (progress.columns[0].stage == ColumnStage::measuring && !std::exchange(failed, true)) throw std::bad_alloc();
    });
    session.run();
    QVERIFY(failed);
    QCOMPARE(progress.columns[0].stage, ColumnStage::failed);
    QVERIFY(progress.columns[0].error.details.contains(builtIn));
    QCOMPARE(progress.columns[1].stage, ColumnStage::done);
  }

  void stoppingIsAnsweredWithinAToken() {
    for (const bool interleaved : {false, true}) {
      Page page;
      page.controller.setInterleaved(interleaved);
      page.controller.setMaxTokens(4096);
      page.controller.setPrompt(QStringLiteral("Tell me a story about a bear.\n").repeated(40));  // does not finish before it is stopped
      page.add(builtIn);
      page.add(gguf("q8_0"));
      page.controller.start();
      QTRY_VERIFY(page.controller.columns()->columns()[0].generated() > 2);
      page.controller.stop();
      const int before = page.controller.columns()->columns()[0].generated();
      QTRY_COMPARE(page.controller.state(), CompareController::Done);
      QVERIFY(page.column(0).stage == ColumnStage::stopped || before > 0);
      QCOMPARE(page.column(1).stage, ColumnStage::stopped);
      QTest::qWait(100);
      QCOMPARE(page.controller.runs()->count(), 0);  // not stored
    }
  }

  void aRunIsKeptAndRunAgainAgrees() {
    Page page;
    page.add(builtIn);
    page.add(gguf("q4_0"));
    page.controller.setPrompt(QStringLiteral("Tell me a story about a bear.\nWhat is two and two?"));
    QVERIFY(page.run());
    QTRY_COMPARE(page.controller.runs()->count(), 1);
    const CompareRun first = page.controller.run();
    QCOMPARE(first.columns[1].replies.size(), 2U);
    page.controller.startOver();
    QCOMPARE(page.controller.columns()->count(), 0);
    page.controller.open(page.controller.runs()->index(0).data(CompareRunsModel::RunIdRole).toLongLong());
    QTRY_COMPARE(page.controller.columns()->count(), 2);
    const CompareRun& kept = page.controller.run();
    QCOMPARE(kept.settings.prompts, first.settings.prompts);
    for (const std::size_t i : {0U, 1U}) {
      QCOMPARE(kept.columns[i].replies[1].tokens, first.columns[i].replies[1].tokens);
      QCOMPARE(kept.columns[i].replies[0].markStart, first.columns[i].replies[0].markStart);
      QCOMPARE(kept.columns[i].figures.kl, first.columns[i].figures.kl);
      QCOMPARE(kept.columns[i].figures.decodeSpeed, first.columns[i].figures.decodeSpeed);
      QCOMPARE(kept.columns[i].speeds.size(), first.columns[i].speeds.size());
      QCOMPARE(std::isnan(kept.columns[i].replies[0].ownInOwn), std::isnan(first.columns[i].replies[0].ownInOwn));
    }
    page.controller.runAgain();
    QTRY_COMPARE(page.controller.state(), CompareController::Done);
    QVERIFY(!page.controller.verdict().isEmpty());
    for (const QString& line : page.controller.verdictLines())  // speeds depend on the machine's load, so only check the other lines
      QVERIFY2(!line.contains(QStringLiteral("token at place")) && !line.contains(QStringLiteral("must be equal")), qPrintable(line));
    QTRY_COMPARE(page.controller.runs()->count(), 2);
    page.controller.remove(page.controller.runId());
    QTRY_COMPARE(page.controller.runs()->count(), 1);
  }

  void theBuiltInModelIsComparedInThreeFormatsAtOnce() {
    Page page;
    page.controller.setPrompt({});
    page.controller.tryBuiltIn();
    QCOMPARE(page.controller.state(), CompareController::Preparing);
    QTRY_COMPARE(page.controller.state(), CompareController::Done);
    QCOMPARE(page.controller.columns()->count(), 3);
    QStringList formats;
    for (const std::size_t i : {0U, 1U, 2U}) {
      QCOMPARE(page.column(i).stage, ColumnStage::done);
      formats << page.column(i).model.format;
      QVERIFY(!page.column(i).replies[0].text.isEmpty());
    }
    QCOMPARE(formats, QStringList({QStringLiteral("SafeTensors"), QStringLiteral("GGUF"), QStringLiteral("MLX")}));
    QVERIFY(figures(page.controller, 1)[QStringLiteral("kl")].toDouble() < figures(page.controller, 2)[QStringLiteral("kl")].toDouble());
    QVERIFY(page.controller.prompt().contains(QStringLiteral("bear")));
    // Existing copies are reused unchanged.
    const QString copies = page.folder.filePath(QStringLiteral("copies"));
    const QFileInfo before(QDir(copies).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot).first().filePath() + QStringLiteral("/Q8_0.gguf"));
    const QDateTime made = before.lastModified();
    const auto again = builtInTwins(builtIn, copies, {});
    QVERIFY(again.has_value());
    QCOMPARE(QFileInfo(before.filePath()).lastModified(), made);
    const auto impossible = builtInTwins(builtIn, QStringLiteral("/proc/nowhere"), {});
    QVERIFY(!impossible.has_value());
  }

  void aFolderThatIsAddedHasItsNameAndAWebLinkIsNoModel() {
    Page page;
    page.controller.addUrl(QUrl(QStringLiteral("https://models.example/tiny.gguf")));
    QCOMPARE(page.controller.columns()->count(), 0);
    QTemporaryDir models;
    QVERIFY(QDir(models.path()).mkpath(QStringLiteral("Llama-3.2-1B")));
    page.controller.addUrl(QUrl::fromLocalFile(models.filePath(QStringLiteral("Llama-3.2-1B/"))));
    page.controller.addUrl(QUrl::fromLocalFile(models.filePath(QStringLiteral("absent.Q4_K_M.gguf"))));
    QCOMPARE(page.controller.columns()->columns()[0].model.name, QStringLiteral("Llama-3.2-1B"));
    QCOMPARE(page.controller.columns()->columns()[1].model.name, QStringLiteral("absent.Q4_K_M"));
  }

  void onlyTwoToFourModelsAndAPromptCanBeRun() {
    Page page;
    QVERIFY(!page.controller.canRun());
    page.add(builtIn);
    QVERIFY(!page.controller.canRun());
    for (int i = 0; i < 5; ++i) page.add(builtIn);
    QCOMPARE(page.controller.columns()->count(), 4);
    QVERIFY(page.controller.canRun());
    page.controller.setPrompt(QStringLiteral(" \n "));
    QVERIFY(!page.controller.canRun());
    page.controller.removeModel(0);
    QCOMPARE(page.controller.columns()->count(), 3);
  }
};

APP_TEST(CompareTest, "compare", QCoreApplication)
#include "tst_compare.moc"
