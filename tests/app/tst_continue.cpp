// Replies that are edited and continued: this creates a new version, the prompt ends with exactly the edited text, and the
// model continues as it would have without the interruption.
#include "app/chat/conversation_export.h"
#include "app/chat/prompt.h"
#include "app/inference/inference_controller.h"
#include "app/inference/prompt_question.h"
#include "app/metrics/reply_recorder.h"
#include "app/text/reply_text.h"
#include "core/engine/prompt.h"
#include "core/engine/reply.h"
#include "gpu/available.h"
#include "answer_for.h"
#include "app_test.h"
#include "counted_chat.h"
#include "patience.h"
#include "sample_models.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTemporaryDir>

using namespace minerva::app;
namespace engine = minerva::engine;
using Reason = engine::FinishReason;

namespace {

engine::Reply replyOf(engine::Engine& model, const engine::Request& request) {
  engine::ReplyRun run(model, request);
  while (run.step()) {
  }
  auto reply = run.take();
  if (!reply) qFatal("%s", reply.error().message().c_str());
  return std::move(*reply);
}

std::vector<engine::TokenId> promptOf(const engine::Engine& model, const engine::Request& request) {
  auto preview = model.preview(request);
  if (!preview) qFatal("%s", preview.error().message().c_str());
  return preview->tokens;
}

QString startText(const minerva::text::ReplyStart& start) {
  return s("%1|%2|%3").arg(QString::fromStdString(start.reasoning), QString::fromStdString(start.answer)).arg(start.thinking);
}

}  // namespace

class ContinueTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
  }
  void cleanup() { m_bench.reset(); }

  void aKeptReplyIsThoughtsAndAnswer() {
    QCOMPARE(startText(startOf(s(" Hello \n"))), s("| Hello \n|0"));
    QCOMPARE(startText(startOf(s("<think>\nHm, \n a\n</think>\n\n The answer\n"))), s("Hm, \n a| The answer\n|0"));
    QCOMPARE(startText(startOf(s("<think>\nHm, "))), s("Hm, ||1"));
    QCOMPARE(startText(startOf(s("<think>\n\n</think>\n\nA"))), s("|A|0"));
    QCOMPARE(startText(startOf(s("A <think> tag"))), s("|A <think> tag|0"));
    QCOMPARE(startText(startOf(s("<think>\nIs it </think\\>?\n</think>\n\nIt is."))), s("Is it </think>?|It is.|0"));
    QCOMPARE(startText(startOf(s("<think>\nA\n</think>\n\nB\n\n<think again>\n\n\nC\n</think>\n\n\n\nD "))), s("A\n\nC|B\n\nD |0"));
    QCOMPARE(startText(startOf(s("B\n\n<think again>\nC "))), s("C |B|1"));
  }

  // A text that is read and edited: as the model wrote it, except for lines that would be read as tags.
  void aReplyIsEditedAsTheModelWroteIt() {
    const struct {
      const char *stored, *plain;
    } cases[] = {
        {"A cat.", "A cat."},
        {"<think>\nHm.\n</think>\n\nA cat.", "<think>\nHm.\n</think>\n\nA cat."},
        {"<think>\nIt ends with </think\\>, not </think\\\\>.\n</think>\n\nThe tag </think>.",
         "<think>\nIt ends with </think>, not </think\\>.\n</think>\n\nThe tag </think>."},
        {"<think>\nLike\n</think\\>\nthis\n</think>\n\nIt is", "<think>\nLike\n</think\\>\nthis\n</think>\n\nIt is"},
        {"<think>\nA\n</think>\n\nB\n\n<think again>\nA </think\\> tag\n</think>\n\nD",
         "<think>\nA\n</think>\n\nB\n\n<think>\nA </think> tag\n</think>\n\nD"},
        {"B\n\n<think again>\nC\n</think>\n\nD", "B\n\n<think>\nC\n</think>\n\nD"},
        {"Write\n\n<think>\nthoughts\n</think>\n\nor\n\n<think\\>", "Write\n\n<think\\>\nthoughts\n</think>\n\nor\n\n<think\\\\>"},
        {"Write\n\n```\nQ\n\n<think>\nhm\n</think>\n```\n\n<think>\nor", "Write\n\n```\nQ\n\n<think>\nhm\n</think>\n```\n\n<think\\>\nor"},
        {"~~~~\nA\n~~~\n\n<think\\>\n~~~~\n\nB\n\n<think again>\nC\n</think>\n\nD",
         "~~~~\nA\n~~~\n\n<think\\>\n~~~~\n\nB\n\n<think>\nC\n</think>\n\nD"},
        {"<think>\n\n</think>\n\nA", "<think>\n\n</think>\n\nA"},
        {"<think>\nThey end with </think\\> or", "<think>\nThey end with </think\\> or"},
        {"A\n\n<think again>\nThey end with </think\\> or", "A\n\n<think again>\nThey end with </think\\> or"},
        {"", ""},
    };
    for (const auto& one : cases) {
      QCOMPARE(plainReply(s(one.stored)), s(one.plain));
      QCOMPARE(storedReply(s(one.plain)), s(one.stored));
    }
    // As typed: where a line has more than the tag, the first one ends the thoughts.
    QCOMPARE(storedReply(s("<think>a</think> b")), s("<think>a</think> b"));
    const QString within = storedReply(plainReply(s("<think>a </think> b\n</think>\n\nc")));
    QCOMPARE(startText(startOf(within)), s("a| b\n</think>\n\nc|0"));
  }

  // Of a server that does not tell thoughts from the answer, whose template begins them.
  void thoughtsOfWhichOnlyTheEndIsThereAreBegun() {
    const SplitReply split = splitReply(withThoughtsBegun(s("Hm\n</think>\n\nYes")));
    QCOMPARE(split.reasoning, s("Hm"));
    QCOMPARE(split.answer, s("Yes"));
    const struct {
      const char *reply, *begun;
    } cases[] = {
        {"Is it </think>?\n</think>\n\n    code", "<think>\nIs it </think\\>?\n</think>\n\n    code"},
        {"Hm\n</think>", "<think>\nHm\n</think>\n\n"},
        {"\n</think>\n\nYes", "Yes"},
        {"```\n</think>\n```\nHm\n</think> \nYes", "<think>\n```\n</think\\>\n```\nHm\n</think>\n\nYes"},
        {"Write\n\n```\n</think>\n```\n", "Write\n\n```\n</think>\n```\n"},
        {"The tag </think> ends them.", "The tag </think> ends them."},
        {"<think>\nHm\n</think>\n\nThe line\n</think>\nends them", "<think>\nHm\n</think>\n\nThe line\n</think>\nends them"},
        {"A\n</think>\n\n<think again>\nHm\n</think>\n\nB", "A\n</think>\n\n<think again>\nHm\n</think>\n\nB"},
        {"", ""},
    };
    for (const auto& one : cases) QCOMPARE(withThoughtsBegun(s(one.reply)), s(one.begun));
  }

  void laterPromptsHaveNoThoughts() {
    Message question, reply;
    question.id = 1;
    question.text = s("Go");
    reply.id = 2;
    reply.parent = 1;
    reply.author = Author::assistant;
    const auto answer = [&](const char* text) {
      reply.text = s(text);
      ConversationTree one({question, reply}, 2);
      return QString::fromStdString(promptFor(one, 2, {}, s("On")).request.chat.messages[1]["content"].get<std::string>());
    };
    QCOMPARE(answer("<think>\nIt ends with </think\\>. Secret.\n</think>\n\nThe answer.\n"), s("The answer."));
    QCOMPARE(answer("Look.\n\n<think again>\nSecret.\n</think>\n\nThe answer."), s("Look.\n\nThe answer."));
    QCOMPARE(answer("The <think> tag.\n"), s("The <think> tag.\n"));
  }

  void anEditedReplyIsAVersion() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Tell me"));
    m_bench->source.say(s("A cat."));
    m_bench->source.end(Reason::endOfTurn);
    chat.send(s("And then?"));
    m_bench->source.say(s("It slept."));
    m_bench->source.end(Reason::endOfTurn);
    QVERIFY(!chat.saveReply(0, s("not a reply")));
    QVERIFY(!chat.saveReply(1, s(" ")));
    const quint64 asked = m_bench->source.last;
    QVERIFY(chat.saveReply(1, s("A dog.")));
    QCOMPARE(m_bench->source.last, asked);  // no request to a model
    QCOMPARE(texts(), (QStringList{s("Tell me"), s("A dog.")}));
    QCOMPARE(at(1, MessageModel::VersionIndexRole).toInt(), 2);
    QCOMPARE(at(1, MessageModel::StatusTextRole).toString(), s("Edited"));
    QCOMPARE(at(1, MessageModel::TimingsRole).toString(), QString());
    QCOMPARE(at(1, MessageModel::ModelNameRole).toString(), s("Scripted"));
    chat.send(s("And?"));
    QCOMPARE(
        m_bench->source.lastRequest.chat.messages.dump(),
        std::string(R"([{"role":"user","content":"Tell me"},{"role":"assistant","content":"A dog."},{"role":"user","content":"And?"}])"));
    QVERIFY(!engine::replyStart(m_bench->source.lastRequest.chat));
    QVERIFY(!chat.saveReply(1, s("while one is written")));
    m_bench->source.end(Reason::endOfTurn);
    QVERIFY(chat.selectVersion(1, -1));  // the old version with everything that followed it
    QCOMPARE(texts(), (QStringList{s("Tell me"), s("A cat."), s("And then?"), s("It slept.")}));
  }

  void anEditIsOfWhatTheModelWrote() {
    ChatController& chat = m_bench->chat;
    const QString stored = s("<think>\nIt ends with </think\\>.\n</think>\n\nB\n\n<think again>\nC\n</think>\n\nD");
    const QString plain = s("<think>\nIt ends with </think>.\n</think>\n\nB\n\n<think>\nC\n</think>\n\nD");
    chat.send(s("Tell me"));
    m_bench->source.say(stored);
    m_bench->source.end(Reason::endOfTurn);
    QCOMPARE(at(1, MessageModel::EditTextRole).toString(), plain);
    chat.copyMessage(1);
    QCOMPARE(QGuiApplication::clipboard()->text(), plain);
    chat.beginEdit(1);
    QCOMPARE(at(1, MessageModel::EditTextRole).toString(), plain);
    QVERIFY(chat.saveReply(1, plain + s("!")));
    QCOMPARE(texts()[1], stored + s("!"));
    const QString thoughts = s("It ends with </think>.\n\nC");
    for (const QString& more : {QString(), plain + s("?")}) {
      QVERIFY(m_bench->guard.continueReply(1, more));
      QTRY_VERIFY(chat.isGenerating());
      QCOMPARE(QString::fromStdString(engine::replyStart(m_bench->source.lastRequest.chat)->reasoning), thoughts);
      m_bench->source.end(Reason::endOfTurn);
      QCOMPARE(texts()[1], stored + (more.isEmpty() ? s("!") : s("?")));
    }
  }

  void anEditWhoseSavingIsRefusedStaysOpen() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Tell me"));
    m_bench->source.say(s("A cat."));
    m_bench->source.end(Reason::endOfTurn);
    chat.setEdit(1, s("A dog."));
    QVERIFY(at(1, MessageModel::EditingRole).toBool());
    chat.send(s("And then?"));
    QVERIFY(chat.isGenerating());
    QVERIFY(!chat.saveReply(1, s("A dog.")));  // while another reply is written
    QVERIFY(at(1, MessageModel::EditingRole).toBool());
    QCOMPARE(at(1, MessageModel::EditTextRole).toString(), s("A dog."));
    QCOMPARE(texts()[1], s("A cat."));
    m_bench->source.end(Reason::endOfTurn);
    chat.setEdit(1, s(" "));
    QVERIFY(!chat.saveReply(1, s(" ")));  // no reply is empty
    QVERIFY(at(1, MessageModel::EditingRole).toBool());
    QCOMPARE(at(1, MessageModel::EditTextRole).toString(), s(" "));
    chat.setEdit(1, s("A dog."));
    QVERIFY(chat.saveReply(1, s("A dog.")));
    QCOMPARE(texts()[1], s("A dog."));
    QVERIFY(chat.selectVersion(1, -1));
    QVERIFY(!at(1, MessageModel::EditingRole).toBool());  // saved, and therefore no longer open
  }

  void aStoppedReplyGoesOnInAVersion() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Tell me"));
    m_bench->source.say(s("A cat slept"));
    m_bench->source.end(Reason::cancelled);
    QVERIFY(m_bench->guard.continueReply(1));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(texts(), (QStringList{s("Tell me"), s("A cat slept")}));
    QCOMPARE(startText(*engine::replyStart(m_bench->source.lastRequest.chat)), s("|A cat slept|0"));
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 2U);
    m_bench->source.say(s(" in the"));
    m_bench->source.end(Reason::length, 2);
    QCOMPARE(texts()[1], s("A cat slept in the"));
    QCOMPARE(at(1, MessageModel::VersionCountRole).toInt(), 2);
    QCOMPARE(at(1, MessageModel::TimingsRole).toString(), s("Continued · TTFT 198 ms · 39.1 tok/s"));
    QVERIFY(m_bench->guard.continueReply(1));  // continued once more
    QTRY_VERIFY(chat.isGenerating());
    m_bench->source.say(s(" sun."));
    m_bench->source.end(Reason::endOfTurn);
    QCOMPARE(texts()[1], s("A cat slept in the sun."));
    QCOMPARE(at(1, MessageModel::VersionIndexRole).toInt(), 3);
    QVERIFY(chat.selectVersion(1, -1));
    QCOMPARE(texts()[1], s("A cat slept in the"));
    QVERIFY(chat.selectVersion(1, -1));
    QCOMPARE(texts()[1], s("A cat slept"));
    QCOMPARE(at(1, MessageModel::TimingsRole).toString(), s("TTFT 198 ms · 39.1 tok/s"));
    QVERIFY(!m_bench->guard.continueReply(0));
    QVERIFY(!m_bench->guard.continueReply(9));
  }

  void aReplyWithNothingToAddIsNotCalledEdited() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Tell me"));
    m_bench->source.say(s("A cat slept."));
    m_bench->source.end(Reason::cancelled);
    QVERIFY(chat.continueReply(1, s("A cat slept.")));
    ReplyUpdate update;
    update.request = m_bench->source.last;
    update.finished = engine::Finished{};
    update.finished->reason = Reason::endOfTurn;
    update.finished->timings.promptTokens = 12;
    Q_EMIT m_bench->source.updated(update);
    QCOMPARE(at(1, MessageModel::StatusRole).toInt(), MessageModel::Complete);
    QCOMPARE(at(1, MessageModel::StatusTextRole).toString(), s("Nothing was added"));
    QVERIFY(chat.saveReply(1, s("A cat.")));
    QCOMPARE(at(1, MessageModel::StatusTextRole).toString(), s("Edited"));
  }

  // An open edit of the reply ends only if its text is what the model continues.
  void anEditOfTheReplyThatGoesOnIsKept() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Tell me"));
    m_bench->source.say(s("A cat slept"));
    m_bench->source.end(Reason::cancelled);
    chat.setEdit(1, s("My own words"));
    QVERIFY(m_bench->guard.continueReply(1));
    QTRY_VERIFY(chat.isGenerating());
    m_bench->source.end(Reason::endOfTurn);
    QVERIFY(chat.selectVersion(1, -1));
    QCOMPARE(at(1, MessageModel::EditTextRole).toString(), s("My own words"));
    QVERIFY(m_bench->guard.continueReply(1, s("My own words")));
    QTRY_VERIFY(chat.isGenerating());
    m_bench->source.end(Reason::endOfTurn);
    QVERIFY(chat.selectVersion(1, -2));
    QVERIFY(!at(1, MessageModel::EditingRole).toBool());
  }

  void whatIsBegunIsOnDiskBeforeTheModelSpeaks() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Tell me"));
    m_bench->source.say(s("A cat"));
    m_bench->source.end(Reason::cancelled);
    const qint64 id = chat.currentId();
    QVERIFY(chat.continueReply(1, s("<think>\nA dog")));
    QVERIFY(engine::replyStart(m_bench->source.lastRequest.chat)->thinking);
    m_bench->store.flush();
    auto killed = ChatStore::open(m_folder->filePath(s("chat.sqlite")));  // as after a kill -9 at this moment
    const auto messages = (*killed)->messages(id);
    QCOMPARE(messages->size(), 3U);
    QCOMPARE(messages->at(1).text, s("A cat"));
    QCOMPARE(messages->at(2).text, s("<think>\nA dog"));
    QCOMPARE(messages->at(2).given, 13);
    QCOMPARE(messages->at(2).status, Status::interrupted);
    m_bench->source.say(s(" it is.\n</think>\n\nA dog."));
    m_bench->source.end(Reason::endOfTurn);
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(id);
    QTRY_COMPARE(m_bench->chat.messages()->count(), 2);
    QCOMPARE(texts()[1], s("<think>\nA dog it is.\n</think>\n\nA dog."));
    QVERIFY(at(1, MessageModel::TimingsRole).toString().startsWith(s("Continued · ")));
  }

  void aCharacterThatWasCutIsWrittenAgain() {
    QCOMPARE(ChatController::textToContinue(s("A fox \xEF\xBF\xBD")), s("A fox "));
    QCOMPARE(ChatController::textToContinue(s("A fox ")), s("A fox "));
  }

  void theGuardAsksBeforeWhatDoesNotFitGoesOn() {
    ContextGuard& guard = m_bench->guard;
    m_bench->say(10, 70);  // 11 + 71 + 25 reserved for the reply: seven too many
    QSignalSpy rejected(&guard, &ContextGuard::editRejected);
    QVERIFY(guard.continueReply(1));
    QTRY_VERIFY(guard.isBlocked());
    QCOMPARE(guard.promptTokens(), 82);
    QVERIFY(guard.leaving().isEmpty());
    guard.keepEditing();
    QCOMPARE(rejected.count(), 0);  // nothing was edited
    const QString edited = QStringList(72, s("e")).join(QLatin1Char(' '));
    m_bench->chat.setEdit(1, edited);
    QVERIFY(guard.continueReply(1, edited));
    QTRY_VERIFY(guard.isBlocked());
    guard.keepEditing();
    QCOMPARE(rejected.count(), 1);
    QCOMPARE(at(1, MessageModel::EditTextRole).toString(), edited);
    QCOMPARE(m_bench->chat.messages()->count(), 2);
    QVERIFY(guard.continueReply(1));
    QTRY_VERIFY(guard.isBlocked());
    guard.shortenReply();
    QVERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.maxTokens, 18);
    QVERIFY(engine::replyStart(m_bench->source.lastRequest.chat).has_value());
  }

  // Cut after every token. If encoding the text gives the same tokens as the reply had, everything that follows is the same,
  // and only the last token before the cut is computed again.
  void theRealModelGoesOnAsIfItHadNotPaused() {
    auto backend = minerva::createBackend("cpu", {});
    QVERIFY(backend.has_value());
    auto model = engine::Engine::load(**backend, {.path = builtIn.toStdString()}, [](const engine::LoadProgress&) {}, {});
    QVERIFY(model.has_value());
    engine::Request request;
    request.chat.messages.push_back({{"role", "user"}, {"content", "Tell me a story about a fox"}});
    request.sampling.temperature = 0;
    request.maxTokens = 48;
    request.conversation = 1;
    const std::vector<engine::TokenId> prompt = promptOf(**model, request);
    const std::string before = (*model)->preview(request)->text;
    const engine::Reply whole = replyOf(**model, request);
    const std::size_t count = whole.tokens.size();
    QVERIFY2(count > 20, whole.text.c_str());
    int same = 0;
    std::string text;
    for (std::size_t cut = 1; cut < count; ++cut) {
      text += whole.pieces[cut - 1];
      ChatPrompt rest{request, {}};
      goOnFrom(QString::fromStdString(text), rest);
      rest.request.maxTokens = static_cast<int>(count - cut);
      std::vector<engine::TokenId> wanted = prompt;
      wanted.insert(wanted.end(), whole.tokens.begin(), whole.tokens.begin() + static_cast<std::ptrdiff_t>(cut));
      const auto preview = (*model)->preview(rest.request);
      QVERIFY(preview.has_value());
      QCOMPARE(preview->text, before + text);  // nothing is inserted between or after
      if (preview->tokens != wanted) continue;
      ++same;
      const engine::Reply continued = replyOf(**model, rest.request);
      QCOMPARE(text + continued.text, whole.text);
      QVERIFY(std::equal(continued.tokens.begin(), continued.tokens.end(), whole.tokens.begin() + static_cast<std::ptrdiff_t>(cut),
                         whole.tokens.end()));
      QCOMPARE(continued.timings.promptTokens, static_cast<int>(wanted.size()));  // these do not count as generated tokens
      QCOMPARE(continued.timings.generatedTokens, static_cast<int>(count - cut));
      QCOMPARE(continued.timings.reusedTokens, static_cast<int>(wanted.size()) - 1);
    }
    qInfo("%d of %d cuts are encoded as they were written", same, static_cast<int>(count) - 1);
    QVERIFY(same > static_cast<int>(count) * 3 / 4);
    // The parts of such a prompt, as shown in the sheet: the last one is the beginning of the reply.
    PromptQuestion question;
    ChatPrompt once{request, {}};
    goOnFrom(s("Once upon a time"), once);
    question.request = once.request;
    question.wantsParts = true;
    const PromptAnswer answer = answerFor(question, **model);
    QCOMPARE(answer.parts.back().message, 1);
    QCOMPARE(answer.parts.back().tokens,
             static_cast<int>((*model)->tokenizer()->encode("Once upon a time", {.addSpecial = false, .parseSpecial = true}).size()));
    int sum = 0;
    for (const engine::PromptPart& part : answer.parts) sum += part.tokens;
    QCOMPARE(sum, answer.tokens);
  }

  // The whole path: the window's controllers, the engine's thread, the store. Figures cover the generated tokens only.
  void aReplyAtItsLimitGoesOnInTheWindow() {
    Settings settings(m_folder->filePath(s("own.ini")));
    settings.set_temperature(0);
    settings.set_maxTokens(10);
    StoreThread store(m_folder->filePath(s("own.sqlite")));
    InferenceController inference;
    inference.setPreferences({.device = s("cpu")});
    Presets presets(&settings);
    ChatController chat(&inference, &store, &presets);
    ReplyRecorder recorder(&inference, &inference);
    QList<ReplyRecord> records;
    connect(&chat, &ChatController::replyBegun, &recorder, &ReplyRecorder::follow);
    connect(&recorder, &ReplyRecorder::recorded, this, [&](const ReplyRecord& record) { records << record; });
    inference.load(builtIn);
    QTRY_VERIFY(chat.canSend());
    const auto wait = [&] { return QTest::qWaitFor([&] { return !chat.isGenerating(); }, patienceMs); };
    const auto reply = [&] { return chat.messages()->at(1).message; };
    QVERIFY(chat.send(s("Tell me a story about a fox")));
    QVERIFY(wait());
    const Message first = reply();
    QCOMPARE(first.status, Status::lengthLimit);
    QVERIFY(chat.continueReply(1, first.text));
    QVERIFY(wait());
    const Message second = reply();
    QVERIFY(second.id != first.id);
    QCOMPARE(second.given, static_cast<int>(first.text.size()));
    QCOMPARE(second.figures.generatedTokens, 10);
    QVERIFY(second.figures.promptTokens > first.figures.promptTokens);
    QTRY_COMPARE(records.size(), 2);
    QCOMPARE(records[1].message, second.id);
    QCOMPARE(records[1].generatedTokens, 10);
    QCOMPARE(static_cast<int>(records[1].intervals.size()), 9);
    QCOMPARE(records[1].promptTokens, second.figures.promptTokens);
    settings.set_maxTokens(20);
    QVERIFY(chat.regenerate(1));
    QVERIFY(wait());
    QCOMPARE(reply().text, second.text);  // the same as a single reply of 20 tokens
    // Continued within the reasoning: new text stays in the reasoning.
    QVERIFY(chat.continueReply(1, s("<think>\nThe fox is")));
    QVERIFY(wait());
    QVERIFY2(reply().text.startsWith(s("<think>\nThe fox is")), qPrintable(reply().text));
    QCOMPARE(reply().text.count(s("<think>")), 1);
    QVERIFY(reply().text.size() > 30);
    chat.flush();
  }

 private:
  [[nodiscard]] QVariant at(int row, int role) { return m_bench->chat.messages()->data(m_bench->chat.messages()->index(row), role); }
  [[nodiscard]] QStringList texts() {
    QStringList all;
    for (int row = 0; row < m_bench->chat.messages()->count(); ++row) all << at(row, MessageModel::TextRole).toString();
    return all;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<CountedChat> m_bench;
};

APP_TEST(ContinueTest, "continue", QGuiApplication)
#include "tst_continue.moc"
