// The engine on its thread, with the built-in model: load, reply, stop, switch, rest.
#include "app/chat/chat_controller.h"
#include "app/chat/store_thread.h"
#include "app/library/model_library.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "inference_bench.h"
#include "long_winded.h"
#include "patience.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <functional>

using namespace minerva::app;
namespace engine = minerva::engine;

class InferenceTest : public InferenceBench {
  Q_OBJECT
 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { m_controller.reset(); }

  void restsWhenIdleAndWakesForAMessage() {
    QCOMPARE(m_controller->freedBytes(), 0.0);
    load(builtIn);
    const double held = m_controller->model().weightBytes + m_controller->model().kvBytes + m_controller->model().scratchBytes;
    QVERIFY(held > 1e6);
    m_controller->setRestAfter(std::chrono::milliseconds(150));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    QCOMPARE(m_controller->freedBytes(), held);
    QCOMPARE(m_controller->model().weightBytes, 0.0);
    QCOMPARE(m_controller->model().heldBytes, 0.0);
    QVERIFY(m_controller->isReady());  // ready for a message, although the weights are not loaded
    QVERIFY(m_controller->model().isSet());
    const HeardUpdates heard(*m_controller);
    m_controller->setRestAfter({});  // stays loaded for the comparison
    QVERIFY(m_controller->submit(question("Hello", 20)) != 0);
    QCOMPARE(m_controller->state(), InferenceController::Loading);
    QTRY_VERIFY(heard.done());
    QVERIFY2(heard.finished, heard.failed ? heard.failed->error.message().c_str() : "");
    QCOMPARE(heard.tokens, 20);
    QCOMPARE(m_controller->model().weightBytes + m_controller->model().kvBytes + m_controller->model().scratchBytes, held);
    m_controller->setRestAfter(std::chrono::milliseconds(150));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);  // rests again after the reply
    PromptQuestion meter;
    meter.request = question("Hello", 20);
    QCOMPARE(m_controller->examine(meter), quint64(0));
    QCOMPARE(m_controller->state(), InferenceController::Resting);  // updating the meter does not load the model
    QSignalSpy examined(m_controller.get(), &ReplySource::examined);
    PromptQuestion sending = meter;
    sending.room = 20;
    QVERIFY(m_controller->examine(sending) != 0);
    QVERIFY(examined.wait(patienceMs));
    QVERIFY(examined[0][1].value<PromptAnswer>().tokens > 0);
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    PromptQuestion shown = meter;
    shown.wantsParts = true;
    QVERIFY(m_controller->examine(shown) != 0);  // showing the exact prompt needs the model
    QVERIFY(examined.wait(patienceMs));
    QVERIFY(!examined[1][1].value<PromptAnswer>().pieces.empty());
    m_controller->setRestAfter({});
    m_controller->load(builtIn);
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
    QTest::qWait(300);
    QCOMPARE(m_controller->state(), InferenceController::Ready);  // 0: never rests
  }

  // Rendering and tokenizing a long conversation takes a while, and a reply that is being streamed does not wait for it.
  void aReplyGoesOnWhileAPromptIsLookedAt() {
    load(builtIn);
    const HeardUpdates heard(*m_controller);
    const quint64 ticket = m_controller->submit(question("Tell me a story", 1500));
    QVERIFY(ticket != 0);
    QTRY_VERIFY(heard.tokens > 3);
    QString words;
    for (int i = 0; i < 300000; ++i) words += QStringLiteral("word%1 ").arg(i);
    PromptQuestion looked;
    looked.request = question(words.toUtf8().constData(), 1);
    QSignalSpy examined(m_controller.get(), &ReplySource::examined);
    const int before = heard.tokens;
    QElapsedTimer clock;
    clock.start();
    QVERIFY(m_controller->examine(looked) != 0);
    QTRY_VERIFY(heard.tokens > before + 5 || !examined.isEmpty());
    const qint64 next = clock.elapsed();
    while (examined.isEmpty()) QVERIFY(examined.wait(patienceMs));
    QVERIFY(examined[0][1].value<PromptAnswer>().tokens > 300000);
    QVERIFY2(next < clock.elapsed() / 2, qPrintable(QStringLiteral("%1 of %2 ms").arg(next).arg(clock.elapsed())));
    m_controller->cancel(ticket);
    QTRY_VERIFY(heard.done());
  }

  // 32 elements take two bytes each, or one byte each and a scale of two.
  void keysAndValuesOfEightBitsTakeHalf() {
    load(builtIn);
    const double whole = m_controller->model().stateBytesPerPosition;
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .kvType = minerva::model::KvType::q8_0});
    load(builtIn);
    QCOMPARE(m_controller->model().stateBytesPerPosition, whole * 34 / 64);
    const HeardUpdates heard(*m_controller);
    QVERIFY(m_controller->submit(question("Hello", 20)) != 0);
    QTRY_VERIFY(heard.done());
    QVERIFY2(heard.finished, heard.failed ? heard.failed->error.message().c_str() : "");
  }

  void theProcessorUsesAsManyThreadsAsOneWants() {
    for (const int threads : {1, 3}) {
      m_controller->setPreferences({.device = QStringLiteral("cpu"), .threads = threads});
      load(builtIn);
      QVERIFY2(m_controller->device().detail.contains(QStringLiteral(", %1 thread").arg(threads)),
               qPrintable(m_controller->device().detail));
    }
  }

  void theForecastIsWhatALoadTakes() {
    LoadForecast forecast;
    using Kv = minerva::model::KvType;
    for (const LoadPreferences& preferences :
         {LoadPreferences{.device = QStringLiteral("cpu")},
          LoadPreferences{.device = QStringLiteral("cpu"), .contextLength = 512, .kvType = Kv::q8_0}}) {
      forecast.setWanted(false);
      const QSignalSpy changed(&forecast, &LoadForecast::changed);
      forecast.ask(QStringLiteral("M"), {.path = builtIn, .preferences = preferences});
      m_controller->setPreferences(preferences);
      load(builtIn);
      QCOMPARE(changed.count(), 0);  // not wanted yet
      forecast.setWanted(true);
      QTRY_COMPARE(changed.count(), 1);
      QCOMPARE(forecast.fit(), QStringLiteral("fits"));
      QCOMPARE(forecast.context(), m_controller->model().contextLength);
      QCOMPARE(forecast.weights(), m_controller->model().weightBytes);
      QCOMPARE(forecast.cache(), m_controller->model().kvBytes);
      QCOMPARE(forecast.scratch(), m_controller->model().scratchBytes);
      QVERIFY(forecast.room() > 1e8);
    }
    // Only the last of many questions is answered.
    for (int context = 64; context <= 256; context += 64)
      forecast.ask(QStringLiteral("M%1").arg(context),
                   {.path = builtIn, .preferences = {.device = QStringLiteral("cpu"), .contextLength = context}});
    QTRY_COMPARE(forecast.property("model").toString(), QStringLiteral("M256"));
    QCOMPARE(forecast.context(), 256);
    forecast.ask(QStringLiteral("gone"), {.path = QStringLiteral("/not/there.gguf")});
    QTRY_COMPARE(forecast.property("model").toString(), QString());
  }

  // Cancelling the load that a shown prompt waits for answers it. The question of a message is not answered: an error would
  // send it.
  void aShownPromptHearsThatItsLoadWasCancelled() {
    load(builtIn);
    m_controller->setRestAfter(std::chrono::milliseconds(20));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    m_controller->setRestAfter({});
    QSignalSpy examined(m_controller.get(), &ReplySource::examined);
    PromptQuestion sending;
    sending.request = question("Hello", 20);
    sending.room = 20;
    QVERIFY(m_controller->examine(sending) != 0);
    m_controller->cancelLoad();
    QCOMPARE(m_controller->state(), InferenceController::Resting);
    PromptQuestion shown;
    shown.request = question("Hello", 20);
    shown.wantsParts = true;
    const quint64 number = m_controller->examine(shown);
    QVERIFY(number != 0);
    m_controller->cancelLoad();
    QVERIFY(examined.wait(patienceMs));
    QCOMPARE(examined.count(), 1);
    QCOMPARE(examined[0][0].toULongLong(), number);
    QVERIFY(examined[0][1].value<PromptAnswer>().error);
  }

  void aRestingModelThatIsGoneIsSaid() {
    QTemporaryDir folder;
    const QString copy = copyOfBuiltIn(folder.path());
    load(copy);
    m_controller->setRestAfter(std::chrono::milliseconds(50));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    QVERIFY(QDir(copy).removeRecursively());
    const HeardUpdates heard(*m_controller);
    QVERIFY(m_controller->submit(question("Hello", 20)) != 0);
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.failed);
    QCOMPARE(m_controller->state(), InferenceController::Failed);
    QVERIFY(m_controller->error().isSet());
    QVERIFY(!m_controller->isReady());
  }

  void loadsTheBuiltInModelAndReplies() {
    QSignalSpy progress(m_controller.get(), &InferenceController::loadProgressChanged);
    load(builtIn);
    QVERIFY(progress.count() > 1);
    const ModelFacts& model = m_controller->model();
    QVERIFY(model.isSet() && !model.name.isEmpty());
    QCOMPARE(model.format, QStringLiteral("SafeTensors"));
    QVERIFY(model.contextLength > 0 && model.weightBytes > 0 && model.loadMs > 0);
    QVERIFY(m_controller->device().text.startsWith(QLatin1String("CPU")));
    QVERIFY(!m_controller->device().fallback);  // the CPU was chosen
    HeardUpdates heard(*m_controller);
    const quint64 request = m_controller->submit(question("Hello", 40));
    QVERIFY(request != 0);
    QCOMPARE(m_controller->state(), InferenceController::Generating);
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.finished.has_value());
    QVERIFY(heard.started);
    QVERIFY(!heard.text.isEmpty());
    QCOMPARE(heard.finished->reason, engine::FinishReason::length);
    QCOMPARE(heard.finished->timings.generatedTokens, 40);
    QCOMPARE(heard.tokens, 40);
    QCOMPARE(m_controller->state(), InferenceController::Ready);
  }

  void aRunningReplyIsStopped() {
    QTemporaryDir folder;
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = longWindedContext});
    load(longWindedModel(folder.path()));
    HeardUpdates heard(*m_controller);
    const quint64 request = m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    m_controller->cancel(request);
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.finished.has_value());
    QCOMPARE(heard.finished->reason, engine::FinishReason::cancelled);
  }

  void anotherModelEndsTheReplyAndIsReady() {
    QTemporaryDir folder;
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = longWindedContext, .models = 1});
    load(longWindedModel(folder.path()));
    const ModelFacts before = m_controller->model();
    HeardUpdates heard(*m_controller);
    m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    load(anotherModel);
    QVERIFY(m_controller->model().name != before.name);
    QVERIFY(m_controller->model().weightBytes < before.weightBytes / 2);
    QTRY_VERIFY(heard.done());  // reported with the next frame, possibly after the load
    QVERIFY(heard.finished ? heard.finished->reason == engine::FinishReason::cancelled
                           : heard.failed->error.kind == minerva::ErrorKind::cancelled);
    HeardUpdates again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
  }

  // The second model replies to the whole conversation; each reply keeps the name of the model that wrote it.
  void anotherModelGoesOnWithTheConversation() {
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    settings.set_temperature(0);
    settings.set_maxTokens(12);
    Presets presets(&settings);
    StoreThread store(folder.filePath(QStringLiteral("chat.sqlite")));
    ChatController chat(m_controller.get(), &store, &presets);
    const auto ask = [&](const QString& text) {
      return QTest::qWaitFor([&] { return chat.canSend(); }, patienceMs) && chat.send(text) &&
             QTest::qWaitFor([&] { return chat.canSend(); }, patienceMs);
    };
    load(builtIn);
    const QString first = m_controller->model().name;
    QVERIFY(ask(QStringLiteral("Who are you?")));
    load(anotherModel);
    const QString second = m_controller->model().name;
    QVERIFY2(first != second, qPrintable(first));
    QVERIFY(ask(QStringLiteral("And what are you?")));
    QCOMPARE(chat.messages()->count(), 4);
    const auto reply = [&](int row) -> const Message& { return chat.messages()->at(row).message; };
    QCOMPARE(reply(1).modelName, first);
    QCOMPARE(reply(3).modelName, second);
    // The reply of either model to the same prompt, requested separately.
    const auto said = [&](const QString& model) {
      load(model);
      const HeardUpdates heard(*m_controller);
      engine::Request request = chat.promptAfter(reply(2).id).request;
      request.conversation = 0;
      if (m_controller->submit(request) == 0 || !QTest::qWaitFor(std::bind_front(&HeardUpdates::done, &heard), patienceMs))
        return QStringLiteral("no reply");
      return heard.text;
    };
    QCOMPARE(reply(3).text, said(anotherModel));
    QVERIFY(reply(3).text != said(builtIn));
    chat.flush();
  }

  void aPromptLongerThanTheContextIsAnErrorAndTheNextOneWorks() {
    load(builtIn);
    HeardUpdates heard(*m_controller);
    m_controller->submit(question(std::string(200000, 'x').c_str(), 5));
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.failed.has_value());
    QVERIFY(!heard.failed->error.what.empty());
    HeardUpdates again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
    QVERIFY(again.finished.has_value());
  }

  void theLibraryListsAndOpens() {
    QTemporaryDir folder;
    const QString list = folder.filePath(QStringLiteral("models.ini"));
    const QString broken = folder.filePath(QStringLiteral("broken.gguf"));
    QFile file(broken);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("GGUFxx");
    file.close();
    {
      ModelLibrary library(m_controller.get(), list, builtIn);
      QAbstractItemModelTester tester(&library, QAbstractItemModelTester::FailureReportingMode::QtTest);
      QCOMPARE(library.count(), 1);
      const auto at = [&](int row, int role) { return library.data(library.index(row), role); };
      QTRY_COMPARE(at(0, ModelLibrary::FormatRole).toString(), QStringLiteral("SafeTensors"));
      QVERIFY(at(0, ModelLibrary::BuiltInRole).toBool());
      library.openBuiltIn();
      QTRY_VERIFY(at(0, ModelLibrary::LoadedRole).toBool());
      library.open(QUrl::fromLocalFile(broken));
      QCOMPARE(library.count(), 2);
      QTRY_VERIFY(!at(1, ModelLibrary::ProblemRole).toString().isEmpty());
      QTRY_VERIFY(m_controller->error().isSet());
      QVERIFY(at(0, ModelLibrary::LoadedRole).toBool());  // it is the loaded model
      library.noteSpeed(at(0, ModelLibrary::PathRole).toString(), 123);
    }
    QFile::remove(broken);
    ModelLibrary library(m_controller.get(), list, builtIn);
    QCOMPARE(library.count(), 2);
    const auto at = [&](int row, int role) { return library.data(library.index(row), role); };
    QCOMPARE(at(0, ModelLibrary::MeasuredRole).toDouble(), 123.0);
    QTRY_VERIFY(at(1, ModelLibrary::MissingRole).toBool());
    library.remove(0);  // the built-in model stays
    QCOMPARE(library.count(), 2);
    library.remove(1);
    QCOMPARE(library.count(), 1);
  }
};

APP_TEST(InferenceTest, "inference", QCoreApplication)
#include "tst_inference.moc"
