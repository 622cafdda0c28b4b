// Context handling: the count before sending equals the engine's, messages that do not fit are asked about, cuts are stored
// and shown.
#include "app/chat/prompt_view.h"
#include "app/inference/inference_controller.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "gpu/available.h"
#include "answer_for.h"
#include "counted_chat.h"
#include "patience.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>
#include <random>

using namespace minerva::app;
namespace engine = minerva::engine;
namespace text = minerva::text;

namespace {

const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");

// Words, digits, accents, CJK, emoji, code, special tokens spelled out, runs of blanks; sometimes only blanks.
std::string randomText(std::mt19937& random, int most) {
  static const std::vector<std::string> bits{"fox",       " the",    "Straße",   " naïve", "日本語", "🦊",     "\n\n",
                                             "  ",        "<|end|>", "<|user|>", "42",     " 3.5",   "{x: 1}",   "\t",
                                             "assistant", "user\n",  ".",        "'s",     "ﬁ",      "e\xCC\x81"};
  std::string made;
  for (int i = 1 + static_cast<int>(random() % static_cast<unsigned>(most)); i > 0; --i) made += bits[random() % bits.size()];
  return made;
}

engine::Request randomChat(std::mt19937& random) {
  engine::Request request;
  request.maxTokens = 1;
  request.sampling.temperature = 0;
  request.conversation = 1 + random() % 3;
  if (random() % 2 == 0) request.chat.messages.push_back({{"role", "system"}, {"content", randomText(random, 10)}});
  for (int turns = static_cast<int>(random() % 5); turns > 0; --turns) {
    request.chat.messages.push_back({{"role", "user"}, {"content", randomText(random, 12)}});
    request.chat.messages.push_back({{"role", "assistant"}, {"content", randomText(random, 12)}});
  }
  request.chat.messages.push_back({{"role", "user"}, {"content", randomText(random, 12)}});
  return request;
}

int tokensOf(const std::vector<engine::PromptPart>& parts) {
  int sum = 0;
  for (const engine::PromptPart& part : parts) sum += part.tokens;
  return sum;
}

// The built-in model on the CPU, stepped by the test.
struct Driven {
  Driven() {
    auto made = minerva::createBackend("cpu", {});
    if (!made) qFatal("%s", made.error().message().c_str());
    backend = std::move(*made);
    auto loaded = engine::Engine::load(*backend, {.path = builtIn.toStdString()}, [](const engine::LoadProgress&) {}, {});
    if (!loaded) qFatal("%s", loaded.error().message().c_str());
    model = std::move(*loaded);
    model->setSink([this](const engine::Event& event) {
      if (const auto* begun = std::get_if<engine::Started>(&event.body)) started = *begun;
      if (const auto* ended = std::get_if<engine::Finished>(&event.body)) finished = *ended;
      if (std::holds_alternative<engine::Failed>(event.body)) failed = true;
    });
  }
  void run(const engine::Request& request) {
    failed = false;
    started = {};
    finished = {};
    model->submit(request);
    while (model->step()) {
    }
  }
  std::unique_ptr<minerva::backend::Backend> backend;
  std::unique_ptr<engine::Engine> model;
  engine::Started started;
  engine::Finished finished;
  bool failed = false;
};

}  // namespace

class ContextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void cleanup() { m_bench.reset(); }

  // For any conversation, the count before sending equals the number of tokens processed, and the parts add up to it.
  void theCountIsWhatTheEngineProcesses() {
    Driven driven;
    std::mt19937 random(20261122);
    int compared = 0, reused = 0;
    for (int i = 0; i < 1000; ++i) {
      const engine::Request request = randomChat(random);
      PromptQuestion question;
      question.request = request;
      question.wantsParts = true;
      const PromptAnswer answer = answerFor(question, *driven.model);
      QVERIFY(!answer.error);
      QCOMPARE(tokensOf(answer.parts), answer.tokens);
      QCOMPARE(static_cast<int>(answer.pieces.size()), answer.tokens);
      driven.run(request);
      QVERIFY(!driven.failed);
      QCOMPARE(answer.tokens, driven.started.promptTokens);
      QCOMPARE(answer.tokens, driven.finished.timings.promptTokens);
      QCOMPARE(answer.reusable, driven.started.reusedTokens);
      ++compared;
      reused += answer.reusable > 1 ? 1 : 0;
    }
    QCOMPARE(compared, 1000);
    QVERIFY(reused > 100);  // otherwise reuse of the cache was not tested
  }

  // The tokens of a message are those of its text, encoded without the template, plus the two that frame it.
  void everyMessageHasItsOwnTokens() {
    Driven driven;
    const text::Tokenizer& tokenizer = *driven.model->tokenizer();
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      PromptQuestion question;
      question.request = randomChat(random);
      question.wantsParts = true;
      const PromptAnswer answer = answerFor(question, *driven.model);
      const auto& messages = question.request.chat.messages;
      for (const engine::PromptPart& part : answer.parts) {
        if (part.message < 0) {
          QCOMPARE(part.tokens, messages[0]["role"] == "system" && &part == &answer.parts.front() ? 0 : 1);
          continue;
        }
        const QString trimmed =
            QString::fromStdString(messages[static_cast<std::size_t>(part.message)]["content"].get<std::string>()).trimmed();
        const auto own = tokenizer.encode(trimmed.toStdString(), {.addSpecial = false, .parseSpecial = true});
        QCOMPARE(part.tokens, static_cast<int>(own.size()) + 2 + (part.message == 0 && messages[0]["role"] == "system" ? 1 : 0));
      }
      QCOMPARE(answer.parts.size(), messages.size() + 2);
    }
  }

  void theCacheIsGoodUpToTheFirstChange() {
    Driven driven;
    engine::Request request;
    request.conversation = 1;
    request.maxTokens = 4;
    for (int i = 0; i < 6; ++i)
      request.chat.messages.push_back(
          {{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", "The quick brown fox number " + std::to_string(i)}});
    request.chat.messages.push_back({{"role", "user"}, {"content", "And now?"}});
    driven.run(request);
    const auto before = driven.model->preview(request);
    QCOMPARE(before->reusable, static_cast<int>(before->tokens.size()) - 1);  // the last token is always computed
    request.chat.messages[2]["content"] = "The slow brown fox number 2";
    const auto after = driven.model->preview(request);
    const auto same = std::ranges::mismatch(before->tokens, after->tokens).in1 - before->tokens.begin();
    QCOMPARE(after->reusable, static_cast<int>(same));
    QVERIFY(after->reusable > 10 && after->reusable < before->reusable);
  }

  // Templates that fold the system prompt into a message, add one of their own, or omit messages.
  void otherTemplatesAreTakenApartToo_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QStringList>("parts");  // "message:text" in order
    QTest::newRow("chatml")
        << s("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
        << QStringList{s("-1:"),
                       s("0:<|im_start|>system\nBe brief.<|im_end|>\n"),
                       s("1:<|im_start|>user\nuser<|im_end|>\n"),
                       s("2:<|im_start|>assistant\nYes.<|im_end|>\n"),
                       s("3:<|im_start|>user\nWhy?<|im_end|>\n"),
                       s("-1:<|im_start|>assistant\n")};
    QTest::newRow("system folded in")
        << s("<s>{% set sys = messages[0].content %}{% for m in messages[1:] %}{% if m.role == 'user' %}[INST] {% if loop.index0 == 0 %}<<SYS>>{{ sys }}<</SYS>>{% endif %}{{ m.content }} [/INST]{% else %} {{ m.content }}</s>{% endif %}{% endfor %}")
        << QStringList{s("-1:"),         s("0:<s>[INST] <<SYS>>Be brief."), s("1:<</SYS>>user [/INST]"),
                       s("2: Yes.</s>"), s("3:[INST] Why? [/INST]"),        s("-1:")};
    QTest::newRow("no system, words of its own")
        << s("Welcome!\n{% for m in messages %}{% if m.role != 'system' %}<{{ m.role }}>{{ m.content | trim }}</>{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}")
        << QStringList{s("-1:Welcome!\n"), s("1:<user>user</>"), s("2:<assistant>Yes.</>"), s("3:<user>Why?</>"), s("-1:<assistant>")};
  }
  void otherTemplatesAreTakenApartToo() {
    QFETCH(const QString, source);
    QFETCH(const QStringList, parts);
    Driven driven;
    const text::Tokenizer& tokenizer = *driven.model->tokenizer();
    const auto chatTemplate = text::ChatTemplate::parse(source.toStdString());
    QVERIFY(chatTemplate.has_value());
    engine::Request request;
    const std::vector<std::pair<const char*, const char*>> said{
        {"system", "Be brief."}, {"user", "user"}, {"assistant", "Yes."}, {"user", "Why?"}};
    for (const auto& [role, content] : said) request.chat.messages.push_back({{"role", role}, {"content", content}});
    const auto prompt = engine::makePrompt(request, &tokenizer, &*chatTemplate, 1 << 20);
    QVERIFY(prompt.has_value());
    QStringList found;
    std::size_t at = 0;
    for (const engine::PromptPart& part : engine::promptParts(request, *prompt, tokenizer, *chatTemplate)) {
      std::string words;
      for (int i = 0; i < part.tokens; ++i) words += tokenizer.piece(prompt->tokens[at++]);
      found << QString::number(part.message) + QLatin1Char(':') + QString::fromStdString(words);
    }
    QCOMPARE(at, prompt->tokens.size());
    QCOMPARE(found, parts);
  }

  void theMeterCountsTheDraft() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.setDraft(s("one two three"));
    QTRY_COMPARE(m_bench->guard.tokens(), 4);
    QCOMPARE(m_bench->guard.contextLength(), 100);
    m_bench->chat.setDraft({});
    QTRY_COMPARE(m_bench->guard.tokens(), 0);
  }

  void whatFitsIsSentAtOnce() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(10, 20);
    QCOMPARE(m_bench->chat.messages()->count(), 2);
    QVERIFY(!m_bench->guard.isBlocked());
  }

  void whatDoesNotFitIsAskedAbout() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    const ContextGuard& guard = m_bench->guard;
    QCOMPARE(m_bench->chat.messages()->count(), 4);  // nothing was sent
    QCOMPARE(guard.promptTokens(), 11 + 21 + 11 + 21 + 13);
    QCOMPARE(guard.room(), 25);
    QCOMPARE(guard.excess(), 2);
    QCOMPARE(guard.leaving().size(), 2);
    QCOMPARE(guard.leaving().at(0).toMap()[s("tokens")].toInt(), 11);
    QCOMPARE(guard.leaving().at(1).toMap()[s("own")].toBool(), false);
    QCOMPARE(guard.leavingTokens(), 32);
    QCOMPARE(guard.tokensAfterDrop(), 45);
    QCOMPARE(guard.shortestReply(), 23);
    QCOMPARE(guard.largerContext(), 200);
    QCOMPARE(guard.largerBytes(), 100000.0);
    QVERIFY(guard.canEnlarge());
    m_bench->guard.keepEditing();
    QVERIFY(!guard.isBlocked());
    QCOMPARE(m_bench->chat.draft().size(), 23);
    QCOMPARE(m_bench->chat.messages()->count(), 4);
  }

  // While the user is asked about a message, it is in the outbox; text typed meanwhile is a separate draft.
  void whatIsTypedMeanwhileIsKept() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    QCOMPARE(m_bench->chat.draft(), QString());
    QCOMPARE(m_bench->chat.outbox()->count(), 1);
    m_bench->chat.setDraft(s("and more"));
    QVERIFY(m_bench->guard.isBlocked());
    m_bench->guard.keepEditing();
    QCOMPARE(m_bench->chat.draft(), QStringList(12, s("q")).join(QLatin1Char(' ')) + s("\n\nand more"));
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
  }

  // Text typed in a new chat while its first message is counted becomes the draft of the conversation that this message
  // starts.
  void aNewChatsDraftGoesOnInItsConversation() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QVERIFY(m_bench->guard.send(s("one")));
    m_bench->chat.setDraft(s("and more"));
    QVERIFY(m_bench->guard.send(s("two")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QVERIFY(m_bench->chat.currentId() != 0);
    QCOMPARE(m_bench->chat.draft(), s("and more"));
    QCOMPARE(m_bench->chat.outbox()->count(), 1);
    const qint64 id = m_bench->chat.currentId();
    m_bench->chat.newConversation();
    QCOMPARE(m_bench->chat.draft(), QString());
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
    m_bench->chat.flush();
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QCOMPARE(m_bench->chat.draft(), QString());
    m_bench->chat.select(id);
    QCOMPARE(m_bench->chat.draft(), s("and more"));
    QCOMPARE(m_bench->chat.outbox()->count(), 1);
  }

  void takingItOutOfTheOutboxTakesTheQuestionBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    m_bench->chat.outbox()->remove(0);
    QVERIFY(!m_bench->guard.isBlocked());
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
  }

  void queuedMessagesAreSentOneAfterTheOther() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    for (const char* text : {"two", "three", "four"}) QVERIFY(m_bench->guard.send(s(text)));
    QVERIFY(!m_bench->guard.send(s("  ")));
    QCOMPARE(chat.outbox()->count(), 3);
    chat.setDraft(s("mine"));
    chat.outbox()->remove(1);
    const auto nextIsAsked = [&](const char* text, int rows) {
      m_bench->source.say(s("ok"));
      m_bench->source.end(engine::FinishReason::endOfTurn);
      return QTest::qWaitFor([&] { return chat.isGenerating(); }, patienceMs) && chat.messages()->count() == rows &&
             chat.messages()->at(rows - 2).message.text == s(text);
    };
    QVERIFY(nextIsAsked("two", 4));
    QCOMPARE(chat.outbox()->count(), 1);
    chat.editQueued(0);
    QCOMPARE(chat.draft(), s("four\n\nmine"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QTest::qWait(50);
    QVERIFY(!chat.isGenerating());  // the queue is empty
    // A message does not wait for a reply in another conversation, and the queue of a conversation stays there.
    QVERIFY(m_bench->guard.send(s("five")));
    QTRY_VERIFY(chat.isGenerating());
    QVERIFY(m_bench->guard.send(s("six")));
    const qint64 first = chat.currentId();
    const quint64 firstRequest = chat.request();
    chat.newConversation();
    QVERIFY(m_bench->guard.send(s("elsewhere")));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(chat.title(), s("elsewhere"));
    QVERIFY(chat.isGeneratingElsewhere());
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QVERIFY(chat.isGeneratingElsewhere());
    chat.select(first);
    QCOMPARE(chat.outbox()->count(), 1);
    m_bench->source.told = firstRequest;
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->source.told = 0;
    QTRY_COMPARE(chat.messages()->at(chat.messages()->count() - 2).message.text, s("six"));
  }

  // What is queued is sent when the reply of its conversation has ended, shown or not, with that conversation's terms.
  void aQueueThatIsNotShownIsSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    ScriptedSource& source = m_bench->source;
    QFile file(m_folder->filePath(s("a.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("of a file") > 0);
    file.close();
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    chat.useEffort(s("high"));
    QVERIFY(m_bench->guard.send(s("two")));
    chat.attachments()->add({QUrl::fromLocalFile(file.fileName())});
    QTRY_VERIFY(!chat.attachments()->isReading());
    QVERIFY(m_bench->guard.send(s("three")));
    const qint64 first = chat.currentId();
    chat.newConversation();
    chat.setDraft(s("typed here"));
    QSignalSpy begun(&chat, &ChatController::replyBegun);
    m_bench->reply("A");
    QTRY_COMPARE(begun.size(), 1);
    QCOMPARE(source.asked(), (QStringList{s("one"), s("A"), s("two")}));
    QCOMPARE(source.lastRequest.conversation, static_cast<std::uint64_t>(first));
    QCOMPARE(source.lastRequest.chat.reasoning.effort, std::string("high"));
    QCOMPARE(chat.conversationOf(source.last), first);
    QVERIFY(!chat.isGenerating() && chat.isGeneratingElsewhere() && chat.canSend());  // the shown one is as it was
    QCOMPARE(chat.currentId(), 0);
    QCOMPARE(chat.messages()->count(), 0);
    QCOMPARE(chat.draft(), s("typed here"));
    QCOMPARE(chat.reasoning().effort, QString());
    QTest::qWait(50);
    QCOMPARE(begun.size(), 1);  // the next one waits for this one's reply
    m_bench->reply("B");
    QTRY_COMPARE(begun.size(), 2);
    QVERIFY(source.asked().last().contains(s("Attached file: a.txt")));
    m_bench->reply("C");
    QTest::qWait(50);
    QCOMPARE(begun.size(), 2);
    QVERIFY(!chat.isGeneratingElsewhere());
    chat.select(first);
    QCOMPARE(m_bench->texts(), (QStringList{s("one"), s("A"), s("two"), s("B"), s("three"), s("C")}));
    QCOMPARE(m_bench->chat.messages()->at(4).message.attachments.size(), 1);
    QCOMPARE(chat.outbox()->count(), 0);
    // Nothing of it is lost or sent again after a restart.
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(first);
    QTRY_COMPARE(m_bench->texts(), (QStringList{s("one"), s("A"), s("two"), s("B"), s("three"), s("C")}));
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 0U);
  }

  // Shown again while its prompt is being counted, it is sent once. Once the source is ready, and not of a deleted conversation.
  void aQueueIsSentOnce() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    QVERIFY(m_bench->guard.send(s("two")));
    const qint64 first = chat.currentId();
    chat.newConversation();
    // It is selected after the question and before the answer.
    bool isAsked = false;
    m_bench->source.counter = [&, count = m_bench->source.counter](const PromptQuestion& question) {
      if (question.request.conversation == static_cast<std::uint64_t>(first) && !std::exchange(isAsked, true))
        QMetaObject::invokeMethod(
            &chat, [&] { chat.select(first); }, Qt::QueuedConnection);
      return count(question);
    };
    m_bench->reply("A");
    QTRY_VERIFY(isAsked && chat.currentId() == first && chat.isGenerating());
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 2U);
    QVERIFY(m_bench->guard.send(s("three")));
    chat.newConversation();
    m_bench->source.ready = false;
    Q_EMIT m_bench->source.readyChanged();
    m_bench->reply("B");
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 2U);
    m_bench->source.ready = true;
    Q_EMIT m_bench->source.readyChanged();
    QTRY_COMPARE(m_bench->source.last, 3U);
    chat.select(first);
    QVERIFY(m_bench->guard.send(s("four")));
    chat.newConversation();
    chat.remove(first);
    m_bench->source.end(engine::FinishReason::cancelled);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 3U);
  }

  // After a failure it is held; too long a prompt needs the person.
  void aQueueThatIsNotShownWaitsForThePerson() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    QVERIFY(m_bench->guard.send(s("two")));
    const qint64 first = chat.currentId();
    chat.newConversation();
    m_bench->source.failWith({.kind = minerva::ErrorKind::io, .what = "no", .where = {}, .expected = {}, .actual = {}, .hint = {}});
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 1U);
    chat.select(first);
    QVERIFY(chat.outbox()->isHeld());
    chat.outbox()->release();
    QTRY_COMPARE(m_bench->source.last, 2U);
    QVERIFY(m_bench->guard.send(QStringList(90, s("long")).join(u' ')));
    chat.newConversation();
    const quint64 asked = m_bench->source.lastQuestion;
    m_bench->reply("B");
    QTRY_VERIFY(m_bench->source.lastQuestion > asked);
    QTest::qWait(100);
    QCOMPARE(m_bench->source.last, 2U);
    QVERIFY(!m_bench->guard.isBlocked());                // nobody is asked about what is not shown
    QVERIFY(m_bench->source.lastQuestion < asked + 10);  // nor is it counted again and again
    chat.select(first);
    QCOMPARE(chat.outbox()->count(), 1);
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->guard.shortenReply();
  }

  // To a server only if the person has seen it there.
  void aQueueThatIsNotShownGoesToNoOtherServer() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    ScriptedSource& source = m_bench->source;
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    QVERIFY(m_bench->guard.send(s("two")));
    QVERIFY(m_bench->guard.send(s("three")));
    QVERIFY(m_bench->guard.send(s("four")));
    const qint64 first = chat.currentId();
    chat.newConversation();
    source.server = s("Box");
    Q_EMIT source.readyChanged();
    m_bench->reply("A");
    QTest::qWait(100);
    QCOMPARE(source.last, 1U);
    chat.select(first);
    QTRY_COMPARE(source.last, 2U);  // shown, with the server's name beside
    chat.newConversation();
    m_bench->reply("B");
    QTRY_COMPARE(source.last, 3U);
    source.server = s("Other");
    Q_EMIT source.readyChanged();
    m_bench->reply("C");
    QTest::qWait(100);
    QCOMPARE(source.last, 3U);
    source.server.clear();  // this computer's are always fine
    Q_EMIT source.readyChanged();
    QTRY_COMPARE(source.last, 4U);
    QCOMPARE(source.asked().last(), s("four"));
  }

  // Whether the attempt is taken back by further typing or comes to nothing because another version is shown.
  void aQueuedMessageIsSentAfterAnAttemptThatIsNot() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(2, 2);
    const QString large = QStringList(90, s("e")).join(QLatin1Char(' '));
    chat.setEdit(0, large);
    QVERIFY(m_bench->guard.editAndResend(0, large));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.send(s("queued")));
    QCoreApplication::processEvents();
    QVERIFY(!chat.isGenerating());
    chat.setEdit(0, large + s(" more"));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), std::string("queued"));
    m_bench->reply("ok");

    QVERIFY(chat.saveReply(1, s("other")));
    QVERIFY(chat.enqueue(s("next")));
    QVERIFY(m_bench->guard.regenerate(1));  // before the queue is looked at
    QVERIFY(chat.selectVersion(1, -1));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), std::string("next"));
  }

  // The queue is held after a failure, because the next message would fail as well, and after a restart. It keeps attached
  // files.
  void aHeldQueueWaitsForThePerson() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QFile file(m_folder->filePath(s("a.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("of a file") > 0);
    file.close();
    m_bench->chat.attachments()->add({QUrl::fromLocalFile(file.fileName())});
    QTRY_VERIFY(!m_bench->chat.attachments()->isReading());
    QVERIFY(m_bench->guard.send(s("two")));
    m_bench->source.failWith({.kind = minerva::ErrorKind::io, .what = "no", .where = {}, .expected = {}, .actual = {}, .hint = {}});
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
    QVERIFY(m_bench->chat.outbox()->isHeld());
    const qint64 id = m_bench->chat.currentId();
    m_bench->chat.flush();
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
    m_bench->chat.select(id);
    QTRY_VERIFY(m_bench->chat.canSend());
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
    QCOMPARE(m_bench->chat.outbox()->index(0).data(Outbox::TextRole).toString(), s("two"));
    QCOMPARE(m_bench->chat.outbox()->index(0).data(Outbox::FilesRole).toString(), s("a.txt"));
    m_bench->chat.outbox()->release();
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(
        m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>().find("Attached file: a.txt") == std::string::npos,
        false);
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(id);
    QCOMPARE(m_bench->chat.outbox()->count(), 0);  // it was sent
    QCOMPARE(m_bench->chat.attachments()->count(), 0);
  }

  void aFullContextHasNoRoomForMoreUnlessItGrows() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.send(s("x"));
    m_bench->source.say(s("so far"));
    ReplyUpdate full;
    full.request = m_bench->source.last;
    full.finished = engine::Finished{};
    full.finished->reason = engine::FinishReason::contextFull;
    full.finished->timings.promptTokens = 60;
    full.finished->timings.generatedTokens = 40;
    Q_EMIT m_bench->source.updated(full);
    QCOMPARE(m_bench->chat.messages()->index(1).data(MessageModel::TokensTakenRole).toInt(), 100);
    QVERIFY(!m_bench->guard.isContinuable());
    QVERIFY(!m_bench->guard.hasRoomAfter(100));
    ModelFacts model;
    model.path = s("x");
    m_bench->contextLength = model.contextLength = 400;
    m_bench->guard.setModel(model);
    QVERIFY(m_bench->guard.isContinuable());
  }

  void droppingIsMarkedKeptAndCanBeTakenBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    m_bench->guard.dropOldest();
    QVERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->chat.draft(), QString());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 3U);
    QCOMPARE(CountedChat::cost(m_bench->source.lastRequest.chat.messages[0]), 11);
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 0, 0}));
    m_bench->source.say(s("short"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    const qint64 id = m_bench->chat.currentId();
    // The next cut does not count what the first one removed.
    m_bench->guard.send(QStringList(30, s("q")).join(QLatin1Char(' ')));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->guard.dropOldest();
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 64, 0, 0, 0}));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->chat.flush();
    // The same after a restart.
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(id);
    QTRY_COMPARE(m_bench->chat.messages()->count(), 8);
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 64, 0, 0, 0}));
    m_bench->chat.putBack(4);
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 0, 0, 0, 0}));
    m_bench->chat.send(s("x"));
    QCOMPARE(CountedChat::cost(m_bench->source.lastRequest.chat.messages[0]), 11);  // the prompt starts at the third message
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 5U);  // an empty reply is left out and its question joined with the next
  }

  void thePromptIsShownAsItWouldBeSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    PromptView& view = m_bench->prompt;
    const QAbstractItemModelTester tester(&view, QAbstractItemModelTester::FailureReportingMode::QtTest);
    view.showNext();
    QCOMPARE(view.count(), 0);  // there is no message yet
    QVERIFY(!view.isLoading());
    m_bench->settings.set_systemPrompt(s("Be brief."));
    m_bench->say(2, 3);
    m_bench->chat.setDraft(s("<b> & so on"));
    view.setProperty("specialColor", QColor(s("#7A3EB8")));
    view.showNext();
    QTRY_COMPARE(view.count(), 4);
    QVERIFY(!view.isOfReply());
    QCOMPARE(view.total(), 3 + 3 + 4 + 5);
    QCOMPARE(view.reusable(), 7);
    QCOMPARE(view.lastReused(), -1);  // the scripted source does not report it
    QCOMPARE(view.data(view.index(0), PromptView::AuthorRole).toInt(), PromptView::System);
    QCOMPARE(view.data(view.index(3), PromptView::AuthorRole).toInt(), PromptView::User);
    QCOMPARE(view.data(view.index(2), PromptView::CachedRole).toInt(), 1);
    const QString html = view.data(view.index(3), PromptView::HtmlRole).toString();
    QVERIFY2(html.contains(s("color:#7a3eb8")) && html.contains(s("&lt;end&gt;</span>")) && html.contains(s("word word word word ")),
             qPrintable(html));
    view.copy();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(s("word word <end>word")));
    m_bench->source.counter = [](const PromptQuestion&) {
      PromptAnswer answer;
      answer.error = minerva::Error{.kind = minerva::ErrorKind::invalidArgument,
                                    .what = "Roles must alternate",
                                    .where = {},
                                    .expected = {},
                                    .actual = {},
                                    .hint = {}};
      return answer;
    };
    view.showNext();
    QTRY_VERIFY(view.error().isSet());
    QCOMPARE(view.count(), 0);
  }

  void aShorterReplyIsAskedForOnce() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    m_bench->guard.shortenReply();
    QCOMPARE(m_bench->source.lastRequest.maxTokens, 23);
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 5U);
    m_bench->source.end(engine::FinishReason::length);
    m_bench->chat.regenerate(5);
    QCOMPARE(m_bench->source.lastRequest.maxTokens, 0);
  }

  // The card's figures are about a prompt that has changed since: it is counted again.
  void whatIsAskedAboutIsCountedAgainAfterItHasChanged() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(10, 20);
    QVERIFY(chat.saveReply(1, QStringList(20, s("o")).join(QLatin1Char(' '))));
    m_bench->fillFrom(1);
    QCOMPARE(m_bench->guard.promptTokens(), 77);
    m_bench->settings.set_systemPrompt(s("Be brief."));
    m_bench->guard.shortenReply();
    QVERIFY(!chat.isGenerating());
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QCOMPARE(m_bench->guard.promptTokens(), 80);
    QVERIFY(chat.selectVersion(1, -1));
    m_bench->guard.dropOldest();
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 4U);  // the system prompt, a turn, the message
    m_bench->reply("ok");
    QVERIFY(chat.selectVersion(1, 1));
    QCOMPARE(leftOut(), (QList<int>{0, 0, 0, 0}));
  }

  // An edit of a message that is not in the version shown by now cannot be sent.
  void anEditThatIsOutOfSightIsTakenBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(10, 20);
    QVERIFY(chat.saveReply(1, s("other")));
    m_bench->say(10, 20);
    const QString large = QStringList(65, s("e")).join(QLatin1Char(' '));
    chat.setEdit(2, large);
    QVERIFY(m_bench->guard.editAndResend(2, large));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(chat.selectVersion(1, -1));
    const quint64 asked = m_bench->source.last;
    m_bench->guard.shortenReply();
    QVERIFY(!m_bench->guard.isBlocked());
    QCOMPARE(m_bench->source.last, asked);
    QVERIFY(chat.selectVersion(1, 1));
    QCOMPARE(chat.messages()->index(2).data(MessageModel::EditTextRole).toString(), large);
  }

  void aLargerContextIsLoadedThenItIsSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    QSignalSpy reload(&m_bench->guard, &ContextGuard::reloadWanted);
    m_bench->guard.enlargeContext();
    QCOMPARE(reload.count(), 1);
    QCOMPARE(m_bench->settings.contextLength(), 200);
    ModelFacts model;
    m_bench->guard.setModel(model);  // while the model is reloaded
    m_bench->contextLength = model.contextLength = 200;
    model.path = s("x");
    m_bench->guard.setModel(model);
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 5U);
  }

  void whatWasSentAsTheModelCameIsCountedByIt() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QVERIFY(m_bench->guard.send(s("one two")));
    ModelFacts model;
    model.path = s("y");
    m_bench->guard.setModel(model);
    QTRY_VERIFY(m_bench->chat.isGenerating());
  }

  void whatDoesNotFitIsSaidOfOneModel() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    ModelFacts model;
    m_bench->guard.setModel(model);  // while another model is loaded
    QVERIFY(!m_bench->guard.isBlocked());
    QCOMPARE(m_bench->chat.draft().size(), 23);
    m_bench->contextLength = model.contextLength = 200;
    model.path = s("y");
    m_bench->guard.setModel(model);
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());  // must be sent again by the user
    QVERIFY(m_bench->guard.send(m_bench->chat.draft()));
    QTRY_VERIFY(m_bench->chat.isGenerating());
  }

  void aLoadThatFailsPutsTheSettingBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->settings.set_contextLength(100);
    m_bench->fill();
    m_bench->guard.enlargeContext();
    m_bench->guard.loadFailed();
    QCOMPARE(m_bench->settings.contextLength(), 100);
    QVERIFY(!m_bench->guard.isBlocked());
    QCOMPARE(m_bench->chat.draft().size(), 23);
  }

  void anEditThatDoesNotFitComesBackToItsEditor() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(10, 20);
    QSignalSpy rejected(&m_bench->guard, &ContextGuard::editRejected);
    const QString text = QStringList(90, s("e")).join(QLatin1Char(' '));
    m_bench->chat.beginEdit(0);
    m_bench->chat.setEdit(0, text);
    QVERIFY(m_bench->guard.editAndResend(0, text));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.leaving().isEmpty());  // there is no earlier message to remove
    m_bench->guard.dropOldest();
    QVERIFY(m_bench->guard.isBlocked());
    m_bench->guard.keepEditing();
    QCOMPARE(rejected.count(), 1);
    const auto open = [&] { return m_bench->chat.messages()->index(0).data(MessageModel::EditingRole).toBool(); };
    QVERIFY(open());
    QCOMPARE(m_bench->chat.messages()->index(0).data(MessageModel::EditTextRole).toString(), text);
    QVERIFY(m_bench->guard.editAndResend(0, text));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->chat.setEdit(0, s("short"));  // further typing cancels the request
    QVERIFY(!m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.editAndResend(0, s("short")));
    m_bench->chat.setEdit(0, s("shorter"));  // also while it is being counted
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
    QVERIFY(m_bench->guard.editAndResend(0, s("shorter")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QVERIFY(!open());
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->chat.selectVersion(0, -1);
    QVERIFY(!open());  // nor in the version in which the edit was started
  }

  // While it is being counted, and while the card about it is shown.
  void anEditThatIsCancelledIsNotSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(10, 20);
    const quint64 asked = m_bench->source.last;
    m_bench->chat.beginEdit(0);
    m_bench->chat.setEdit(0, s("again"));
    QVERIFY(m_bench->guard.editAndResend(0, s("again")));
    m_bench->chat.cancelEdit(0);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, asked);
    const QString large = QStringList(90, s("e")).join(QLatin1Char(' '));
    m_bench->chat.setEdit(0, large);
    QVERIFY(m_bench->guard.editAndResend(0, large));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->chat.cancelEdit(0);
    QVERIFY(!m_bench->guard.isBlocked());
    // A reply that is saved is not continued; what was queued meanwhile is sent.
    m_bench->chat.setEdit(1, s("mine"));
    QVERIFY(m_bench->guard.continueReply(1, s("mine")));
    QVERIFY(m_bench->guard.send(s("next")));
    QVERIFY(m_bench->chat.saveReply(1, s("mine")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), std::string("next"));
  }

  // Applies to the version that was meant, not to the one shown in its row by then.
  void anotherVersionChosenMeanwhileIsNotWrittenAgain() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(2, 2);
    m_bench->chat.saveReply(1, s("other"));
    m_bench->say(2, 2);
    const quint64 asked = m_bench->source.last;
    QVERIFY(m_bench->guard.regenerate(1));
    m_bench->chat.selectVersion(1, -1);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, asked);
    QVERIFY(!m_bench->chat.isGenerating());
  }

  // The whole path with the real engine: the prompt that the card announces is the one processed.
  void theBuiltInModelDropsWhatItSays() {
    Settings settings(m_folder->filePath(s("settings.ini")));
    Presets presets(&settings);
    settings.set_maxTokens(24);
    StoreThread store(m_folder->filePath(s("chat.sqlite")));
    InferenceController inference;
    inference.setPreferences({.device = s("cpu"), .contextLength = 256});
    ChatController chat(&inference, &store, &presets);
    ContextGuard guard(&chat, &inference, &settings);
    connect(&inference, &InferenceController::loaded, &guard, [&] { guard.setModel(inference.model()); });
    inference.load(builtIn);
    QTRY_VERIFY(chat.canSend());
    int promptTokens = 0;
    connect(&inference, &ReplySource::updated, this, [&](const ReplyUpdate& update) {
      if (update.started) promptTokens = update.started->promptTokens;
    });
    QSignalSpy begun(&chat, &ChatController::replyBegun);
    for (int turn = 0; turn < 40 && !guard.isBlocked(); ++turn) {
      QVERIFY(guard.send(s("Tell me a story about a fox and a hen, please, and make it number %1.").arg(turn)));
      // Not chat.isGenerating(): a short reply may be over between two polls.
      QTRY_VERIFY(begun.count() > turn || guard.isBlocked());
      QTRY_VERIFY(!chat.isGenerating());
    }
    QVERIFY(guard.isBlocked());
    QVERIFY(guard.promptTokens() + guard.room() > 256);
    QCOMPARE(guard.largerContext(), 512);
    int listed = 0;
    for (const QVariant& message : guard.leaving()) listed += message.toMap()[s("tokens")].toInt();
    QCOMPARE(listed, guard.leavingTokens());
    // The prompt as shown, including its text.
    PromptView view(&chat, &inference);
    view.showOfReply(chat.messages()->count() - 1);
    QVERIFY(view.isOfReply());
    QTRY_VERIFY(!view.isLoading());
    QCOMPARE(view.total(), promptTokens);
    QCOMPARE(view.lastTotal(), promptTokens);
    QVERIFY(view.lastReused() > 0 && view.lastReused() < promptTokens);
    QCOMPARE(view.reusable(), promptTokens - 1);  // all of it is in the slot, but the last token is always computed
    QString expectedText = s("<|begin|>");
    for (int row = 0; row + 1 < chat.messages()->count(); ++row)
      expectedText += (row % 2 == 0 ? s("<|user|>") : s("<|assistant|>")) + chat.messages()->at(row).message.text.trimmed() + s("<|end|>");
    QString shownText;
    int shownTokens = 0, shownCached = 0;
    for (int row = 0; row < view.count(); ++row) {
      shownText += view.data(view.index(row), PromptView::PlainRole).toString();
      shownTokens += view.data(view.index(row), PromptView::TokensRole).toInt();
      shownCached += view.data(view.index(row), PromptView::CachedRole).toInt();
    }
    QCOMPARE(shownText, expectedText + s("<|assistant|>"));
    QCOMPARE(shownTokens, promptTokens);
    QCOMPARE(shownCached, promptTokens - 1);
    const int expected = guard.tokensAfterDrop(), leavingTokens = guard.leavingTokens();
    const qsizetype dropped = guard.leaving().size();
    guard.dropOldest();
    QTRY_VERIFY(!chat.isGenerating());
    QCOMPARE(promptTokens, expected);
    QCOMPARE(chat.messages()->data(chat.messages()->index(static_cast<int>(dropped)), MessageModel::LeftOutAboveRole).toInt(),
             leavingTokens);
    chat.flush();
  }

 private:
  [[nodiscard]] QList<int> leftOut() const {
    QList<int> all;
    for (int row = 0; row < m_bench->chat.messages()->count(); ++row) all << m_bench->chat.messages()->at(row).message.leftOutAbove;
    return all;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<CountedChat> m_bench;
};

QTEST_MAIN(ContextTest)
#include "tst_context.moc"
