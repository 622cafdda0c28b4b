// What a conversation asks of a model that reasons: kept with it, and the same in every prompt made from it.
#include "app/inference/inference_controller.h"
#include "app_test.h"
#include "counted_chat.h"
#include "patience.h"
#include "thinking_model.h"

#include <QAbstractItemModelTester>
#include <QGuiApplication>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>
#include <cstdio>

using namespace minerva::app;
namespace text = minerva::text;

namespace {

const text::ReasoningControls onlySwitch{
    .canSwitch = true, .switchVariable = "enable_thinking", .efforts = {}, .effortVariable = "", .defaultEffort = ""};
const text::ReasoningControls both{.canSwitch = true,
                                   .switchVariable = "thinking",
                                   .onByDefault = false,
                                   .efforts = {"low", "high"},
                                   .effortVariable = "reasoning_effort",
                                   .defaultEffort = ""};
const text::ReasoningControls onlyEfforts{
    .switchVariable = "", .efforts = {"low", "medium", "high"}, .effortVariable = "reasoning_effort", .defaultEffort = "medium"};

// "on high", "off", "-"; "-": nothing is asked.
QString written(const text::ReasoningChoice& choice) {
  const QString effort = QString::fromStdString(choice.effort);
  return ((choice.on ? *choice.on ? s("on ") : s("off ") : s("- ")) + effort).trimmed();
}

// The child process of the kill test: a conversation whose choice changes until it is killed.
int chooseUntilKilled(int argc, char** argv) {
  QGuiApplication application(argc, argv);
  Bench bench(QString::fromLocal8Bit(argv[2]));
  bench.source.controls = both;
  if (!bench.chat.send(s("Hi"))) std::abort();
  bench.reply("ok");
  bench.chat.useReasoning(true);
  bench.chat.useEffort(s("high"));
  std::puts("chosen");
  std::fflush(stdout);
  return QGuiApplication::exec();
}

}  // namespace

class ReasoningTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_bench = std::make_unique<Bench>(m_folder->path());
    m_bench->source.controls = both;
  }
  void cleanup() { m_bench.reset(); }

  QString say(const char* words) {
    if (!QTest::qWaitFor([&] { return m_bench->chat.canSend(); }, patienceMs) || !m_bench->chat.send(s(words))) return s("not sent");
    m_bench->reply("ok");
    return written(m_bench->source.lastRequest.chat.reasoning);
  }

  void conversationsKeepTheirChoicesApart() {
    ChatController& chat = m_bench->chat;
    QSignalSpy changed(&chat, &ChatController::reasoningChanged);
    chat.useReasoning(true);  // in a new chat without messages
    chat.useEffort(s("high"));
    QCOMPARE(changed.count(), 2);
    chat.useEffort(s("high"));
    QCOMPARE(changed.count(), 2);
    QCOMPARE(say("a"), s("on high"));
    const qint64 first = chat.currentId();
    chat.newConversation();
    QCOMPARE(say("b"), s("-"));  // the other chat's choice does not carry over
    const qint64 second = chat.currentId();
    chat.useReasoning(false);
    QCOMPARE(say("c"), s("off"));
    QVERIFY(chat.regenerate(1));
    QCOMPARE(written(m_bench->source.lastRequest.chat.reasoning), s("off"));
    m_bench->reply("ok");
    chat.select(first);
    QVERIFY(chat.reasoning().on);
    QCOMPARE(chat.reasoning().effort, s("high"));
    chat.branch(0);
    QVERIFY(chat.currentId() != first);
    const qint64 branched = chat.currentId();
    QCOMPARE(say("d"), s("on high"));
    chat.useEffort(s("low"));  // of the branch only
    chat.rename(branched, s("Renamed"));
    chat.remove(second);
    chat.restore(second);

    m_bench.reset();  // restarts the application
    m_bench = std::make_unique<Bench>(m_folder->path());
    for (const auto& [id, asked] : {std::pair{first, "on high"}, std::pair{second, "off"}, std::pair{branched, "on low"}}) {
      m_bench->chat.select(id);
      QCOMPARE(say("again"), s(asked));
    }
  }

  void aNewChatKeepsItsChoiceWhileAnotherIsShown() {
    ChatController& chat = m_bench->chat;
    QCOMPARE(say("a"), s("-"));
    const qint64 first = chat.currentId();
    chat.newConversation();
    chat.useReasoning(true);
    chat.usePreset(s("precise"));
    chat.select(first);
    QVERIFY(!chat.reasoning().on);
    chat.newConversation();
    QVERIFY(chat.reasoning().on);
    QCOMPARE(chat.presetId(), s("precise"));
    QCOMPARE(say("b"), s("on"));
    chat.newConversation();
    QVERIFY(!chat.reasoning().on);
  }

  void onlyWhatTheModelKnowsIsOffered() {
    const ChatController& chat = m_bench->chat;
    const auto offered = [&](const text::ReasoningControls& controls) {
      m_bench->source.controls = controls;
      const ReplyReasoning now = chat.reasoning();
      return s("%1 %2 [%3] %4 %5")
          .arg(now.switchable ? s("switch") : s("-"), now.on ? s("on") : s("off"), now.efforts.join(u','), now.effort, now.usualEffort)
          .trimmed();
    };
    QCOMPARE(offered({}), s("- on []"));
    QCOMPARE(offered(onlySwitch), s("switch on []"));
    QCOMPARE(offered(onlyEfforts), s("- on [low,medium,high] medium medium"));
    QCOMPARE(offered(both), s("switch off [,low,high]"));
    m_bench->chat.useReasoning(false);
    m_bench->chat.useEffort(s("low"));
    QCOMPARE(offered({}), s("- on []"));
    QCOMPARE(offered(onlySwitch), s("switch off []"));
    QCOMPARE(offered(onlyEfforts), s("- on [low,medium,high] low medium"));
    QCOMPARE(offered(both), s("switch off [,low,high] low"));
    m_bench->chat.useEffort(s("another model's"));
    QCOMPARE(offered(onlyEfforts), s("- on [low,medium,high] medium medium"));
    QCOMPARE(offered(both), s("switch off [,low,high]"));

    QSignalSpy changed(&chat, &ChatController::reasoningChanged);
    Q_EMIT m_bench->source.readyChanged();  // another model
    QCOMPARE(changed.count(), 1);
  }

  void itSurvivesAKill() {
    QTemporaryDir folder;
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), {s("reasoning"), s("--choose"), folder.path()});
    QVERIFY(child.waitForReadyRead(20000));
    QTest::qWait(1000);
    ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
    QVERIFY(child.waitForFinished());
    QCOMPARE(child.exitStatus(), QProcess::CrashExit);
    const auto store = ChatStore::open(folder.filePath(s("chat.sqlite")));
    QVERIFY(store.has_value());
    const auto conversations = (*store)->conversations();
    QCOMPARE(conversations->size(), 1U);
    QCOMPARE(written(conversations->at(0).reasoning), s("on high"));
  }

  // A prompt that is too long with reasoning, and not without: the verdict is about what would be sent now.
  void aBlockedMessageIsCountedAgain() {
    m_bench.reset();
    CountedChat counted(m_folder->path());
    counted.source.controls = both;
    counted.source.counter = [count = counted.source.counter](const PromptQuestion& question) {
      PromptAnswer answer = count(question);
      if (question.request.chat.reasoning.on == false) {
        answer.tokens = 10;
        answer.fits = true;
        answer.start = -1;
      }
      return answer;
    };
    counted.fill();
    QVERIFY(counted.guard.isBlocked());
    counted.chat.useReasoning(false);
    QTRY_COMPARE(counted.guard.tokens(), 10);
    counted.guard.dropOldest();
    QTRY_VERIFY(counted.chat.isGenerating());
    QCOMPARE(written(counted.source.lastRequest.chat.reasoning), s("off"));
    QCOMPARE(counted.source.lastRequest.chat.messages.size(), 5U);  // nothing was dropped
    counted.source.end(minerva::engine::FinishReason::endOfTurn);
  }

  // With the engine: the prompt shown, the count before sending and the reply's own count are of the same text.
  void everyPromptIsRenderedAlike() {
    m_bench.reset();
    InferenceController inference;
    inference.setPreferences({.device = s("cpu")});
    Settings settings(m_folder->filePath(s("settings.ini")));
    settings.set_maxTokens(1);
    Presets presets(&settings);
    StoreThread store(m_folder->filePath(s("chat.sqlite")));
    ChatController chat(&inference, &store, &presets);
    ContextGuard guard(&chat, &inference, &settings);
    PromptView view(&chat, &inference);
    connect(&inference, &InferenceController::loaded, &guard, [&] { guard.setModel(inference.model()); });
    const auto load = [&](const QString& path) {
      QSignalSpy loaded(&inference, &InferenceController::loaded);
      inference.load(path);
      return loaded.wait(patienceMs) && QTest::qWaitFor([&] { return chat.canSend(); }, patienceMs);
    };
    // The prompt of the message; also checks the counts.
    const auto promptOf = [&](const char* message) {
      chat.newConversation();
      chat.setDraft(s(message));
      if (!QTest::qWaitFor([&] { return guard.isKnown() && guard.tokens() > 0; }, patienceMs)) return s("not counted");
      view.showNext();
      if (!QTest::qWaitFor([&] { return !view.isLoading(); }, patienceMs)) return s("not shown");
      QString shown;
      for (int row = 0; row < view.count(); ++row) shown += view.data(view.index(row), PromptView::PlainRole).toString();
      return shown;
    };
    const auto sent = [&] {
      if (!guard.send(chat.draft()) || !QTest::qWaitFor([&] { return chat.messages()->count() == 2 && chat.canSend(); }, patienceMs))
        return -1;
      return chat.messages()->at(1).message.figures.promptTokens;
    };

    QVERIFY(load(thinkingModel(m_folder->path(), true, true)));
    QVERIFY(chat.reasoning().switchable && chat.reasoning().on);
    QCOMPARE(chat.reasoning().efforts, (QStringList{s("low"), s("medium"), s("high")}));
    QCOMPARE(chat.reasoning().effort, s("medium"));
    const QString plain = promptOf("Hi");
    QVERIFY2(plain.endsWith(s("(medium)<|user|>Hi<|end|><|assistant|>")), qPrintable(plain));
    QCOMPARE(sent(), view.total());

    chat.newConversation();
    chat.useReasoning(false);
    const QString off = promptOf("Hi");
    QCOMPARE(off, plain + s("<think></think>"));
    QTRY_COMPARE(guard.tokens(), view.total());
    const int withoutThoughts = view.total();
    QCOMPARE(sent(), withoutThoughts);
    view.showOfReply(1);
    QTRY_VERIFY(!view.isLoading());
    QCOMPARE(view.total(), withoutThoughts);

    chat.newConversation();
    chat.useEffort(s("high"));
    QCOMPARE(promptOf("Hi"), QString(plain).replace(s("medium"), s("high")));
    QCOMPARE(sent(), view.total());

    // A model without it: the conversation's choice has no effect and nothing is offered.
    chat.useReasoning(false);
    QVERIFY(load(s(MINERVA_SOURCE_DIR "/resources/builtin-model")));
    QVERIFY(!chat.reasoning().switchable);
    QVERIFY(chat.reasoning().efforts.isEmpty());
    chat.newConversation();
    chat.useReasoning(false);
    chat.useEffort(s("high"));
    QVERIFY(promptOf("Hi").endsWith(s("<|user|>Hi<|end|><|assistant|>")));
    QVERIFY(!promptOf("Hi").contains(s("high")));
    QCOMPARE(sent(), view.total());
    inference.unload();
    QVERIFY(!chat.reasoning().switchable);
    chat.flush();
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Bench> m_bench;
};

namespace {

int runReasoningTest(int argc, char** argv) {
  if (argc == 3 && QByteArray(argv[1]) == "--choose") return chooseUntilKilled(argc, argv);
  return runAppTest<ReasoningTest, QGuiApplication>(argc, argv);
}

}  // namespace

APP_TEST_WITH_MAIN(ReasoningTest, "reasoning", runReasoningTest)
#include "tst_reasoning.moc"
