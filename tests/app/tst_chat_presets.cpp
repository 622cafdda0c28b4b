// Which preset is used for the requests of a conversation.
#include "app_test.h"
#include "chat_bench.h"
#include "patience.h"

#include <QTemporaryDir>

using namespace minerva::app;

class ChatPresetsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_bench = std::make_unique<Bench>(m_folder->path());
  }
  void cleanup() { m_bench.reset(); }

  // System prompt, temperature and reply limit of the last request.
  QString asked() const {
    const auto& request = m_bench->source.lastRequest;
    const auto& first = request.chat.messages[0];
    const QString prompt = first["role"] == "system" ? QString::fromStdString(first["content"].get<std::string>()) : s("-");
    return s("%1 | %2 | %3").arg(prompt).arg(static_cast<double>(request.sampling.temperature), 0, 'g', 3).arg(request.maxTokens);
  }

  QString say(const char* text) {
    if (!QTest::qWaitFor([&] { return m_bench->chat.canSend(); }, patienceMs) || !m_bench->chat.send(s(text))) return s("not sent");
    m_bench->reply("ok");
    return asked();
  }

  QString keepFox() {
    return m_bench->presets.keep({}, s("Fox"), {{s("temperature"), 0.35}, {s("systemPrompt"), s("Be a fox")}, {s("maxTokens"), 77}});
  }

  void conversationsKeepTheirPresetsApart() {
    ChatController& chat = m_bench->chat;
    const QString fox = keepFox();
    QCOMPARE(chat.preset(), s("Model default"));
    chat.usePreset(fox);  // in a new chat without messages
    QCOMPARE(chat.preset(), s("Fox"));
    QCOMPARE(say("a"), s("Be a fox | 0.35 | 77"));
    const qint64 first = chat.currentId();
    chat.newConversation();
    QCOMPARE(chat.preset(), s("Model default"));  // the other chat's preset does not carry over
    QCOMPARE(say("b"), s("- | 0.8 | 0"));
    const qint64 second = chat.currentId();
    chat.usePreset(s("creative"));
    QCOMPARE(say("c"), s("- | 1.1 | 0"));
    QCOMPARE(m_bench->settings.temperature(), 0.8);
    QCOMPARE(m_bench->settings.systemPrompt(), QString());
    chat.select(first);
    QCOMPARE(say("d"), s("Be a fox | 0.35 | 77"));
    QVERIFY(chat.regenerate(1));
    QCOMPARE(asked(), s("Be a fox | 0.35 | 77"));
    m_bench->reply("ok");
    chat.branch(0);
    QVERIFY(chat.currentId() != first);
    QCOMPARE(say("e"), s("Be a fox | 0.35 | 77"));
    const qint64 branched = chat.currentId();

    m_bench.reset();  // restarts the application
    m_bench = std::make_unique<Bench>(m_folder->path());
    for (const auto& [id, name, terms] : {std::tuple{first, "Fox", "Be a fox | 0.35 | 77"}, std::tuple{second, "Creative", "- | 1.1 | 0"},
                                          std::tuple{branched, "Fox", "Be a fox | 0.35 | 77"}}) {
      m_bench->chat.select(id);
      QCOMPARE(m_bench->chat.preset(), s(name));
      QCOMPARE(say("again"), s(terms));
    }
  }

  void aNewChatKeepsItsPresetWhileAnotherIsShown() {
    ChatController& chat = m_bench->chat;
    QCOMPARE(say("a"), s("- | 0.8 | 0"));
    const qint64 first = chat.currentId();
    chat.newConversation();
    chat.usePreset(s("precise"));
    chat.select(first);
    QCOMPARE(chat.presetId(), s("none"));
    chat.newConversation();
    QCOMPARE(chat.presetId(), s("precise"));
    QCOMPARE(say("b"), s("- | 0.2 | 0"));
    chat.newConversation();
    QCOMPARE(chat.presetId(), s("none"));
  }

  void aModelsPresetIsForConversationsThatSayNothing() {
    ChatController& chat = m_bench->chat;
    m_bench->settings.set_systemPrompt(s("Be brief"));
    const QString fox = keepFox();
    m_bench->presets.setOfModel(s("Scripted"), fox);
    QSignalSpy changed(&chat, &ChatController::presetChanged);
    QCOMPARE(chat.preset(), s("Fox"));
    QCOMPARE(say("a"), s("Be a fox | 0.35 | 77"));
    m_bench->source.model = s("Another");
    Q_EMIT m_bench->source.readyChanged();
    QVERIFY(changed.count() > 0);
    QCOMPARE(chat.preset(), s("Model default"));
    QCOMPARE(say("b"), s("Be brief | 0.8 | 0"));
    m_bench->source.model = s("Scripted");
    QCOMPARE(say("c"), s("Be a fox | 0.35 | 77"));
    chat.usePreset(s("none"));  // although the model has a default preset
    QCOMPARE(chat.presetId(), s("none"));
    QCOMPARE(say("d"), s("Be brief | 0.8 | 0"));
    m_bench->settings.set_temperature(0.5);
    QCOMPARE(chat.preset(), s("As in Settings"));
    QCOMPARE(say("e"), s("Be brief | 0.5 | 0"));
    const qint64 plain = chat.currentId();
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(m_bench->chat.preset(), s("Fox"));  // a new chat
    m_bench->chat.select(plain);
    QCOMPARE(say("f"), s("Be brief | 0.5 | 0"));
    m_bench->chat.usePreset(s("precise"));  // this preset has no system prompt, so the one of the settings stays
    QCOMPARE(say("g"), s("Be brief | 0.2 | 0"));
  }

  void aDeletedPresetIsFallenBackFrom() {
    ChatController& chat = m_bench->chat;
    const QString fox = keepFox();
    chat.usePreset(fox);
    QCOMPARE(say("a"), s("Be a fox | 0.35 | 77"));
    m_bench->presets.remove(fox);
    QCOMPARE(chat.preset(), s("Model default"));
    QCOMPARE(say("b"), s("- | 0.8 | 0"));
    m_bench->presets.setOfModel(s("Scripted"), s("precise"));
    QCOMPARE(say("c"), s("- | 0.2 | 0"));
    m_bench->presets.undoRemove();
    QCOMPARE(chat.preset(), s("Fox"));
    QCOMPARE(say("d"), s("Be a fox | 0.35 | 77"));
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Bench> m_bench;
};

APP_TEST(ChatPresetsTest, "chat_presets", QGuiApplication)
#include "tst_chat_presets.moc"
