// The engine on its thread, with the built-in model: load, cancel, fail, reply, stop, switch.
#include "app/chat/chat_controller.h"
#include "app/chat/store_thread.h"
#include "app/inference/inference_controller.h"
#include "app/library/load_forecast.h"
#include "app/library/model_library.h"
#include "app/metrics/panel_model.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "core/backend/kv_pages.h"
#include "gpu/available.h"
#include "long_winded.h"
#include "patience.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtEndian>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace minerva::app;
namespace engine = minerva::engine;

namespace {

const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
const QString anotherModel = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/llama-gqa-bf16/hf");

engine::Request question(const char* text, int maxTokens) {
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  request.maxTokens = maxTokens;
  request.ignoreEndOfTurn = true;
  return request;
}

// A copy of the other model in which the matrices whose names contain one of these words are float32.
QString withFloats(const QString& copy, const QStringList& words) {
  QDir().mkpath(copy);
  const QString weights = QStringLiteral("model.safetensors");
  for (const QFileInfo& file : QDir(anotherModel).entryInfoList(QDir::Files))
    if (file.fileName() != weights) QFile::copy(file.filePath(), copy + u'/' + file.fileName());
  QFile from(anotherModel + u'/' + weights), to(copy + u'/' + weights);
  if (!from.open(QIODevice::ReadOnly) || !to.open(QIODevice::WriteOnly)) qFatal("no weights");
  const QByteArray all = from.readAll();
  const auto length = static_cast<qsizetype>(qFromLittleEndian<quint64>(all.constData()));
  QJsonObject header = QJsonDocument::fromJson(all.mid(8, length)).object();
  QByteArray data;
  for (const QString& name : header.keys()) {
    if (name.startsWith(u'_')) continue;
    QJsonObject tensor = header[name].toObject();
    const QJsonArray place = tensor[QStringLiteral("data_offsets")].toArray();
    QByteArray bytes = all.mid(8 + length + place[0].toInteger(), place[1].toInteger() - place[0].toInteger());
    if (std::ranges::any_of(words, [&](const QString& word) { return name.contains(word); })) {
      QByteArray wide(2 * bytes.size(), '\0');  // a bfloat16 number is the upper half of a float32 number
      for (qsizetype i = 0; i < bytes.size(); ++i) wide[2 * (i - i % 2) + 2 + i % 2] = bytes[i];
      bytes = wide;
      tensor[QStringLiteral("dtype")] = QStringLiteral("F32");
    }
    tensor[QStringLiteral("data_offsets")] = QJsonArray{qint64{data.size()}, qint64{data.size() + bytes.size()}};
    data += bytes;
    header[name] = tensor;
  }
  QByteArray text = QJsonDocument(header).toJson(QJsonDocument::Compact);
  text.append((8 - text.size() % 8) % 8, ' ');
  const quint64 size = qToLittleEndian(static_cast<quint64>(text.size()));
  to.write(reinterpret_cast<const char*>(&size), sizeof size);
  to.write(text + data);
  return copy;
}

struct Heard {
  explicit Heard(ReplySource& source) {
    QObject::connect(&source, &ReplySource::updated, [this](const ReplyUpdate& update) {
      text += update.text;
      tokens += static_cast<int>(update.tokens.size());
      started = started || update.started;
      if (update.finished) finished = update.finished;
      if (update.failed) failed = update.failed;
    });
  }
  [[nodiscard]] bool done() const { return finished || failed; }
  QString text;
  int tokens = 0;
  bool started = false;
  std::optional<engine::Finished> finished;
  std::optional<engine::Failed> failed;
};

}  // namespace

class InferenceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_controller = std::make_unique<InferenceController>();
    m_controller->setPreferences({.device = QStringLiteral("cpu")});
  }
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
    const Heard heard(*m_controller);
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
    const Heard heard(*m_controller);
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
    const Heard heard(*m_controller);
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
    const Heard heard(*m_controller);
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
    Heard heard(*m_controller);
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
    Heard heard(*m_controller);
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
    Heard heard(*m_controller);
    m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    load(anotherModel);
    QVERIFY(m_controller->model().name != before.name);
    QVERIFY(m_controller->model().weightBytes < before.weightBytes / 2);
    QTRY_VERIFY(heard.done());  // reported with the next frame, possibly after the load
    QVERIFY(heard.finished ? heard.finished->reason == engine::FinishReason::cancelled
                           : heard.failed->error.kind == minerva::ErrorKind::cancelled);
    Heard again(*m_controller);
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
      const Heard heard(*m_controller);
      engine::Request request = chat.promptAfter(reply(2).id).request;
      request.conversation = 0;
      if (m_controller->submit(request) == 0 || !QTest::qWaitFor(std::bind_front(&Heard::done, &heard), patienceMs))
        return QStringLiteral("no reply");
      return heard.text;
    };
    QCOMPARE(reply(3).text, said(anotherModel));
    QVERIFY(reply(3).text != said(builtIn));
    chat.flush();
  }

  void aPromptLongerThanTheContextIsAnErrorAndTheNextOneWorks() {
    load(builtIn);
    Heard heard(*m_controller);
    m_controller->submit(question(std::string(200000, 'x').c_str(), 5));
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.failed.has_value());
    QVERIFY(!heard.failed->error.what.empty());
    Heard again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
    QVERIFY(again.finished.has_value());
  }

  void aFileThatIsNotThereIsAnError() {
    m_controller->load(QStringLiteral("/no/such/model.gguf"));
    QTRY_COMPARE(m_controller->state(), InferenceController::Failed);
    const ErrorInfo& error = m_controller->error();
    QCOMPARE(error.headline, QStringLiteral("model.gguf could not be loaded"));
    QCOMPARE(error.kind, QStringLiteral("not found"));
    QVERIFY(!error.detail.isEmpty());
    QVERIFY(!m_controller->model().isSet());
    QCOMPARE(m_controller->submit({}), 0U);
    m_controller->dismissError();
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    load(builtIn);
  }

  // The reply continues, and so does the conversation.
  void aFileThatCannotBeLoadedLeavesTheModelThatReplies() {
    QTemporaryDir folder;
    const QString damaged = copyOfBuiltIn(folder.path());
    QFile weights(damaged + QStringLiteral("/model.safetensors"));
    QVERIFY(weights.resize(weights.size() / 2));
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = longWindedContext});
    load(longWindedModel(folder.path()));
    const ModelFacts before = m_controller->model();
    Heard heard(*m_controller);
    const quint64 request = m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    QSignalSpy failed(m_controller.get(), &InferenceController::loadFailed);
    QSignalSpy changed(m_controller.get(), &InferenceController::modelChanged);
    m_controller->load(damaged);
    QVERIFY(m_controller->model() == before);
    QVERIFY(failed.wait(patienceMs));
    QCOMPARE(failed[0][0].toString(), damaged);
    QCOMPARE(m_controller->error().kind, QStringLiteral("corrupt"));
    QVERIFY(m_controller->model() == before);
    QCOMPARE(changed.count(), 0);
    QCOMPARE(m_controller->state(), InferenceController::Generating);
    const int soFar = heard.tokens;
    QTRY_VERIFY(heard.tokens > soFar + 10 || heard.done());
    QVERIFY(!heard.done());
    m_controller->cancel(request);
    QTRY_VERIFY(heard.done());
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
    QVERIFY(m_controller->error().isSet());  // until it is dismissed
    m_controller->dismissError();
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QVERIFY(!m_controller->error().isSet());
    const Heard again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
    QVERIFY(again.finished);
  }

  // 3 TB of KV cache do not fit, with or without another model loaded.
  void aModelThatHadToMakeRoomComesBack() {
    QTemporaryDir folder;
    const QString longWinded = longWindedModel(folder.path());
    const QString large = copyOfBuiltIn(folder.path(), QStringLiteral("large"), 1 << 24);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = longWindedContext});
    load(longWinded);
    const Heard heard(*m_controller);
    m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 1 << 24});
    m_controller->load(large);
    QVERIFY(loaded.wait(patienceMs));
    QCOMPARE(loaded[0][0].toString(), longWinded);
    QCOMPARE(m_controller->model().path, longWinded);
    QCOMPARE(m_controller->model().contextLength, longWindedContext);  // as loaded before
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QVERIFY(heard.done());
    QVERIFY(m_controller->isTooLarge());
    QVERIFY2(m_controller->error().headline.startsWith(QFileInfo(large).fileName()), qPrintable(m_controller->error().headline));
    const Heard again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
    QVERIFY(again.finished);
    m_controller->loadAnyway();  // loads the one that failed
    QTRY_COMPARE(m_controller->model().path, large);
    // The same happens if the same model is loaded with a longer context.
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 512});
    load(large);
    loaded.clear();
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 1 << 24});
    m_controller->reload();
    QVERIFY(loaded.wait(patienceMs));
    QCOMPARE(m_controller->model().contextLength, 512);
    QVERIFY(m_controller->isTooLarge());
  }

  void aModelThatRestsStillRestsAfterAFailedLoad() {
    load(builtIn);
    m_controller->setRestAfter(std::chrono::milliseconds(50));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    m_controller->setRestAfter({});
    const double freed = m_controller->freedBytes();
    QSignalSpy failed(m_controller.get(), &InferenceController::loadFailed);
    m_controller->load(QStringLiteral("/no/such/model.gguf"));
    QVERIFY(failed.wait(patienceMs));
    QCOMPARE(m_controller->state(), InferenceController::Resting);
    QCOMPARE(m_controller->freedBytes(), freed);
    const Heard heard(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.finished);
  }

  void malformedFilesEachSayWhatIsWrong() {
    const QString corpus = QStringLiteral(MINERVA_REFERENCE_DIR "/oracle/malformed/gguf");
    QVERIFY(QDir(corpus).exists());
    int failures = 0;
    for (const QString& name : QDir(corpus).entryList(QDir::Files)) {
      m_controller->load(corpus + QLatin1Char('/') + name);
      QTRY_VERIFY(m_controller->state() != InferenceController::Loading);
      if (!m_controller->error().isSet()) continue;
      ++failures;
      QVERIFY2(!m_controller->error().detail.isEmpty(), qPrintable(name));
      QVERIFY2(!m_controller->error().details.contains(QLatin1String("unknown error"), Qt::CaseInsensitive), qPrintable(name));
    }
    QVERIFY(failures > 20);
    load(builtIn);
  }

  void aLoadIsCancelled() {
    const QSignalSpy cancelled(m_controller.get(), &InferenceController::loadCancelled);
    m_controller->cancelLoad();  // no load is in progress
    QCOMPARE(cancelled.count(), 0);
    m_controller->load(builtIn);
    QElapsedTimer clock;
    clock.start();
    m_controller->cancelLoad();
    QCOMPARE(cancelled.count(), 1);
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    QTest::qWait(200);
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    QVERIFY(!m_controller->model().isSet());
    load(builtIn);
    QTemporaryDir folder;
    m_controller->load(copyOfBuiltIn(folder.path()));
    m_controller->cancelLoad();
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QTest::qWait(200);
    QCOMPARE(m_controller->model().path, builtIn);
    const Heard heard(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.finished);
    QCOMPARE(cancelled.count(), 2);
    m_controller->unload();
    QCOMPARE(cancelled.count(), 2);
    m_controller->load(builtIn);
    m_controller->unload();
    QCOMPARE(cancelled.count(), 3);
  }

  void aDeviceThatIsNotThereFallsBackAndSaysWhy() {
    m_controller->setPreferences({.device = QStringLiteral("vulkan:99")});
    load(builtIn);
    QVERIFY(m_controller->device().fallback);
    QVERIFY(!m_controller->device().reason.isEmpty());
    QVERIFY(m_controller->device().text.startsWith(QLatin1String("CPU")));
  }

  // If a GPU has too little memory, its layers are split with the CPU; if not even one fits, the CPU gets all of them. The
  // badge says so.
  void aGpuThatIsTooSmallSharesTheModelAndSaysWhy() {
    const auto all = minerva::availableDevices();
    const auto gpu = std::ranges::find(all.devices, "Vulkan", &minerva::backend::DeviceInfo::kind);
    if (gpu == all.devices.end()) QSKIP("skipped: no Vulkan device here");
    const QString id = QString::fromStdString(gpu->id);
    load(builtIn);
    const quint64 needed = static_cast<quint64>(m_controller->model().weightBytes + m_controller->model().kvBytes);
    LoadForecast forecast;
    forecast.setWanted(true);
    forecast.ask(QStringLiteral("M"), {.path = builtIn, .preferences = {.device = id, .gpuMemory = needed}});
    QTRY_VERIFY(!forecast.fit().isEmpty());
    QVERIFY(forecast.fit() != QLatin1String("fits"));
    QCOMPARE(forecast.room(), static_cast<double>(needed));
    m_controller->setPreferences({.device = id, .gpuMemory = needed});  // leaves no room for scratch memory
    load(builtIn);
    QCOMPARE(m_controller->device().id, id + QLatin1String("+cpu"));
    QVERIFY2(m_controller->device().detail.contains(QLatin1String(" layers on ") + id), qPrintable(m_controller->device().detail));
    QVERIFY(m_controller->device().fallback);
    QVERIFY2(m_controller->device().reason.contains(QLatin1String("does not fit into memory")), qPrintable(m_controller->device().reason));
    Heard heard(*m_controller);
    m_controller->submit(question("Tell me a story", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY2(heard.finished.has_value(), heard.failed ? heard.failed->error.message().c_str() : "");
    m_controller->setPreferences({.device = id, .gpuMemory = 100'000});
    load(builtIn);
    QCOMPARE(m_controller->device().id, QStringLiteral("cpu"));
    QVERIFY(m_controller->device().fallback);
    m_controller->setPreferences({.device = id});
    load(builtIn);
    QCOMPARE(m_controller->device().id, id);
    // There is room for one model, but not for two: the first is unloaded instead of splitting the second with the CPU.
    const auto held = static_cast<quint64>(m_controller->model().heldBytes);
    m_controller->setPreferences({.device = id, .gpuMemory = held + held / 2});
    load(builtIn);
    QSignalSpy changed(m_controller.get(), &InferenceController::modelChanged);
    load(builtIn);
    QCOMPARE(m_controller->device().id, id);
    QCOMPARE(changed.count(), 2);  // unloaded, then loaded
  }

  // 3 TB of KV cache, of which a short conversation touches only a little.
  void whatDoesNotFitIsLoadedWhereOneInsists() {
    QTemporaryDir folder;
    const QString large = copyOfBuiltIn(folder.path(), QStringLiteral("large"), 1 << 24);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 1 << 24});
    m_controller->load(large);
    QTRY_COMPARE(m_controller->state(), InferenceController::Failed);
    QVERIFY(m_controller->isTooLarge());
    QVERIFY2(m_controller->error().hint.contains(QLatin1String("What would fit: ")), qPrintable(m_controller->error().hint));
    m_controller->loadAnyway();
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
    QCOMPARE(m_controller->model().contextLength, 1 << 24);
    QVERIFY2(m_controller->model().warnings.join(u' ').contains(QLatin1String("loaded anyway")), "no warning");
    Heard heard(*m_controller);
    m_controller->submit(question("Tell me a story", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY2(heard.finished.has_value(), heard.failed ? heard.failed->error.message().c_str() : "");
    // This is not permanent: the next load checks again, and keeps the model that is loaded.
    m_controller->retry();
    QTRY_VERIFY(m_controller->isTooLarge());
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
  }

  void bandwidthIsMeasuredWhileIdle() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bandwidths.json"));
    m_controller->bandwidths().keepIn(file);
    QVERIFY(!m_controller->bandwidth().curve.isKnown());
    load(builtIn);
    QTRY_VERIFY(m_controller->bandwidth().curve.isKnown());
    const MeasuredBandwidth measured = m_controller->bandwidth();
    QVERIFY(measured.curve.fromMemory() > 1e8);
    QVERIFY(measured.when.secsTo(QDateTime::currentDateTime()) < 60);
    // The measurement is restored after a restart. The same device with a different number of threads counts as another
    // device.
    BandwidthBook again;
    again.keepIn(file);
    const QString key = m_controller->device().bandwidthKey;
    QCOMPARE(again.of(key).curve, measured.curve);
    QVERIFY(!again.isWanted(key));
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .threads = 7});
    load(builtIn);
    QVERIFY(!m_controller->bandwidth().curve.isKnown());
  }

  // A curve of two devices holds for one split of a model between them.
  void theBandwidthOfASplitIsNotThatOfAnother() {
    minerva::backend::DeviceInfo device;
    device.id = "vulkan:0+cpu";
    device.uuid = "00112233445566778899aabbccddeeff";
    device.threads = 4;
    const QString whole = BandwidthBook::keyOf(device);
    QVERIFY(whole.endsWith(QLatin1String("|vulkan:0+cpu|4")));  // as in files of earlier versions
    device.split = "950+50";
    const QString mostOnTheGpu = BandwidthBook::keyOf(device);
    device.split = "300+700";
    QVERIFY(mostOnTheGpu != whole && BandwidthBook::keyOf(device) != whole && BandwidthBook::keyOf(device) != mostOnTheGpu);
  }

  // Nothing is measured while the program computes something else.
  void bandwidthWaitsForOtherWorkAndIsMeasuredAgainWhereASpeedPassesIt() {
    minerva::backend::BandwidthCurve tooLow;
    tooLow.add({1 << 20, 1e3});
    m_controller->setBusyElsewhere(true);
    load(builtIn);
    const DeviceBadge device = m_controller->device();
    m_controller->bandwidths().add(device.bandwidthKey, tooLow);
    m_controller->bandwidthPassed(device);
    QTest::qWait(2500);
    QCOMPARE(m_controller->bandwidth().curve, tooLow);
    m_controller->setBusyElsewhere(false);
    QTRY_VERIFY(m_controller->bandwidth().curve.at(1 << 20) > 1e8);
    QVERIFY(!m_controller->bandwidths().isWanted(device.bandwidthKey));
  }

  // The panel shows the type that was chosen on loading: the setting's or, without one, the plan's. One float32 matrix
  // does not change it; float32 projections of queries, keys and values do.
  void thePanelNamesTheTypeOfTheCache() {
    const QTemporaryDir folder;
    const QString routed = withFloats(folder.filePath(QStringLiteral("one")), {QStringLiteral("layers.0.mlp.down_proj")});
    const QString floats =
        withFloats(folder.filePath(QStringLiteral("all")), {QStringLiteral("q_proj"), QStringLiteral("k_proj"), QStringLiteral("v_proj")});
    const PanelModel panel(m_controller.get(), m_controller.get());
    using minerva::model::KvType;
    const auto shows = [&](const QString& model, KvType wanted, const char* type) {
      m_controller->setPreferences({.device = QStringLiteral("cpu"), .kvType = wanted});
      load(model);
      const ModelFacts& said = m_controller->model();
      const QString name = panel.property("cacheType").toString();
      if (name != QLatin1String(type) || said.cacheType != name) qWarning("%s instead of %s", qPrintable(name), type);
      const bool same = name == QLatin1String(type) && said.cacheType == name && panel.property("cacheBytes").toDouble() == said.kvBytes;
      return same ? said.stateBytesPerPosition : 0;
    };
    const double half = shows(anotherModel, KvType::f16, "F16");
    QVERIFY(half > 0);
    QCOMPARE(shows(routed, KvType::f16, "F16"), half);
    QCOMPARE(shows(floats, KvType::f16, "F32"), 2 * half);
    const double codes = shows(floats, KvType::q8_0, "Q8_0");
    QVERIFY2(codes > 0 && codes < 0.75 * half, qPrintable(QString::number(codes)));
    m_controller->unload();
    QCOMPARE(panel.property("cacheType").toString(), QString());
  }

  // Whole pages of the positions that the conversation has computed; the last token was only sampled.
  void thePanelSaysWhatConversationsHold() {
    const QTemporaryDir folder;
    const PanelModel panel(m_controller.get(), m_controller.get());
    load(longWindedModel(folder.path()));
    QVERIFY(std::isnan(panel.property("cacheHeld").toDouble()));
    for (const int tokens : {20, 700}) {
      const Heard heard(*m_controller);
      QVERIFY(m_controller->submit(question("Hello", tokens)) != 0);
      QTRY_VERIFY(heard.done());
      QVERIFY(heard.finished.has_value());
      constexpr int page = minerva::backend::kvPagePositions;
      const int positions = (heard.finished->contextUsed - 1 + page - 1) / page * page;
      QCOMPARE(panel.property("cacheHeld").toDouble(), positions * m_controller->model().stateBytesPerPosition);
      QVERIFY(panel.property("cacheHeld").toDouble() < panel.property("cacheBytes").toDouble());
    }
    m_controller->unload();
    QVERIFY(std::isnan(panel.property("cacheHeld").toDouble()));
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

 private:
  void load(const QString& path) {
    QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    m_controller->load(path);
    QVERIFY2(loaded.wait(patienceMs), qPrintable(m_controller->error().details));
    QVERIFY(m_controller->isReady());
  }
  std::unique_ptr<InferenceController> m_controller;
};

QTEST_GUILESS_MAIN(InferenceTest)
#include "tst_inference.moc"
