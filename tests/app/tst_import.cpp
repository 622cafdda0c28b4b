// Importing conversations: exports are restored completely, files of other programs are read, errors give the place.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_store.h"
#include "app/chat/conversation_export.h"
#include "app/chat/conversation_import.h"
#include "app/chat/conversation_tree.h"
#include "app/chat/store_thread.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "patience.h"
#include "scripted_source.h"
#include "utf8.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace minerva::app;

namespace {

const QDateTime now = QDateTime::fromMSecsSinceEpoch(1700000000123).toUTC();

minerva::Result<Imported> imported(const QByteArray& bytes, const char* file = "file.json") {
  return readConversations(bytes, s(file), now);
}

QString textsOf(const ImportedConversation& one) {
  const ConversationTree tree(one.messages, one.conversation.activeLeaf);
  QStringList all;
  for (const qint64 id : tree.path()) all << toText(tree.find(id)->author) + s(": ") + tree.find(id)->text;
  return all.join(s(" | "));
}

// A conversation with versions of questions and replies, figures, a failure, and text that looks like an export.
ImportedConversation rich() {
  ImportedConversation one;
  one.conversation = {.id = 40,
                      .title = s("Füchse"),
                      .modelName = s("M"),
                      .created = now,
                      .updated = now.addSecs(60),
                      .activeLeaf = 47,
                      .preset = s("precise"),
                      .reasoning = {false, "high"}};
  const auto add = [&](qint64 id, qint64 parent, Author author, const char* text) -> Message& {
    Message& message = one.messages.emplace_back();
    message.id = id;
    message.conversation = 40;
    message.parent = parent;
    message.author = author;
    message.text = s(text);
    message.created = now.addMSecs(id);
    if (author == Author::assistant) message.modelName = s("M");
    return message;
  };
  add(42, 0, Author::user, "Hi");
  add(43, 42, Author::assistant, "one").figures = {198.5, 1000.25, 39.1, 12, 34, 5};
  Message& failed = add(44, 42, Author::assistant, "");
  failed.status = Status::failed;
  failed.errorText = s("the device is gone");
  add(45, 0, Author::user, "**You** <!-- user -->\n\nis what an export has\n\n\\**M** <!-- assistant -->");
  add(46, 45, Author::assistant, "**Summary**\n\n# not a title\n\n```\ncode\n```").status = Status::lengthLimit;
  one.messages.back().leftOutAbove = 321;
  add(47, 46, Author::user, "and <b> & \"quotes\" \xF0\x9F\xA6\x8A");
  return one;
}

}  // namespace

class ImportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void anExportComesBackWhole() {
    const ImportedConversation one = rich();
    const QByteArray exported = toJson(one.conversation, one.messages);
    const auto back = imported(exported);
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    QCOMPARE(back->conversations.size(), 1U);
    QCOMPARE(back->messages(), 6);
    QCOMPARE(toJson(back->conversations[0].conversation, back->conversations[0].messages), exported);
    QCOMPARE(textsOf(back->conversations[0]), textsOf(one));
    QCOMPARE(back->conversations[0].conversation.preset, s("precise"));
    QVERIFY(back->conversations[0].conversation.reasoning == one.conversation.reasoning);
    QCOMPARE(back->conversations[0].messages[1].figures.decodeTokensPerSecond, 39.1);

    // Stored in a database, with different ids.
    auto store = ChatStore::open(s(":memory:"));
    std::vector<Conversation> saved;
    QVERIFY(saveImported(**store, *back, 1000, saved).has_value());
    QCOMPARE(saved.size(), 1U);
    QCOMPARE(toJson((*store)->conversations()->at(0), *(*store)->messages(1000)), exported);
    QCOMPARE((*store)->lastId(), 1000 + idsFor(*back) - 1);
  }

  void markdownComesBackAsOnePath() {
    const ImportedConversation one = rich();
    const QByteArray exported = toMarkdown(one.conversation, one.messages);
    const auto back = imported(exported, "foxes.md");
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    QCOMPARE(back->conversations[0].conversation.title, s("Füchse"));
    QCOMPARE(textsOf(back->conversations[0]), textsOf(one));
    QCOMPARE(back->conversations[0].messages[1].modelName, s("M"));
    QCOMPARE(toMarkdown(back->conversations[0].conversation, back->conversations[0].messages), exported);
  }

  void thoughtsAreExportedAsTheModelWroteThem() {
    ImportedConversation one = rich();
    one.messages[4].text = s("<think>\nIt ends with </think\\>.\n</think>\n\nB\n\n<think again>\nC\n</think>\n\nD");
    one.messages[5].text = s("<think>\nIs it </think\\>?\n</think>");  // the user's
    for (const bool json : {false, true}) {
      const QByteArray exported = json ? toJson(one.conversation, one.messages) : toMarkdown(one.conversation, one.messages);
      QVERIFY2(exported.contains("It ends with </think>.") && !exported.contains("<think again>"), exported.constData());
      QVERIFY2(exported.contains(json ? R"(Is it </think\\>?)" : R"(Is it </think\>?)"), exported.constData());
      const auto back = imported(exported, json ? "foxes.json" : "foxes.md");
      QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
      QCOMPARE(textsOf(back->conversations[0]), textsOf(one));
    }
  }

  // Models and files come from elsewhere: their names must not become markup in an export.
  void namesThatLookLikeMarkupComeBackAsTheyAre() {
    ImportedConversation one = rich();
    one.conversation.title = s("# C#, <b>, &lt; and a\\b_c [x](y) _z_");
    const QString model = s("**M** <!-- user --> <img src=x> %3 `q` Q4_K_M");
    for (Message& message : one.messages)
      if (message.author == Author::assistant) message.modelName = model;
    one.messages.back().attachments = {attachmentOf(s("<i>_a_b.txt"), s("text"))};
    const QByteArray exported = toMarkdown(one.conversation, one.messages);
    QVERIFY2(!exported.contains("<img") && !exported.contains("<b>,") && !exported.contains("<i>"), exported.constData());
    QVERIFY2(exported.contains("Q4_K_M") && exported.contains("Attached file: &lt;i&gt;\\_a_b.txt"), exported.constData());
    const auto back = imported(exported, "foxes.md");
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    QCOMPARE(back->conversations[0].conversation.title, one.conversation.title);
    QCOMPARE(back->conversations[0].messages.size(), std::size_t(3));
    QCOMPARE(back->conversations[0].messages[1].modelName, model);
  }

  void olderMarkdownHasNamesOnly() {
    const auto back =
        imported("# Cats\n\n**You**\n\nTell me\n\n**TinyLlama**\n\nIntro\n\n**Bold line**\n\nmore\n\n**You**\n\nok\n", "c.md");
    QVERIFY(back.has_value());
    QCOMPARE(textsOf(back->conversations[0]), s("user: Tell me | assistant: Intro\n\n**Bold line**\n\nmore | user: ok"));
  }

  void chatGptsTree() {
    const auto back = imported(R"J([{"title": "Two answers", "create_time": 1700000000.5, "update_time": 1700000100, "current_node": "d",
      "mapping": {
        "root": {"id": "root", "message": null, "parent": null, "children": ["sys"]},
        "sys": {"message": {"author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}}, "parent": "root", "children": ["a"]},
        "a": {"message": {"author": {"role": "user"}, "create_time": 1700000001, "content": {"content_type": "multimodal_text",
              "parts": [{"content_type": "image_asset_pointer"}, "What is this?"]}}, "parent": "sys", "children": ["b", "tool"]},
        "b": {"message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["A cat."]},
              "metadata": {"model_slug": "gpt-4o"}}, "parent": "a", "children": []},
        "tool": {"message": {"author": {"role": "tool"}, "content": {"content_type": "text", "parts": ["result"]}}, "parent": "a", "children": ["d"]},
        "d": {"message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["A ", "dog."]},
              "metadata": {"model_slug": "gpt-4o"}}, "parent": "tool", "children": []}}},
      {"title": "", "mapping": {"r": {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hello there"]}}, "parent": null, "children": []}}},
      {"title": "Empty", "mapping": {}}])J");
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    QCOMPARE(back->conversations.size(), 2U);
    QCOMPARE(back->leftOut, 2);  // the picture and the tool's result
    const ImportedConversation& first = back->conversations[0];
    QCOMPARE(first.conversation.created.toMSecsSinceEpoch(), 1700000000500);
    QCOMPARE(first.conversation.modelName, s("gpt-4o"));
    QCOMPARE(textsOf(first), s("user: What is this? | assistant: A \n\ndog."));
    const ConversationTree tree(first.messages, first.conversation.activeLeaf);
    QCOMPARE(tree.siblings(first.conversation.activeLeaf).size(), 2U);
    QCOMPARE(back->conversations[1].conversation.title, s("Hello there"));
  }

  void listsOfRolesAndContents() {
    const auto one =
        imported(R"({"messages": [{"role": "developer", "content": "Be brief"}, {"role": "user", "content": [{"type": "text", "text": "Hi"},
        {"type": "image_url", "image_url": {}}]}, {"role": "assistant", "content": null, "tool_calls": []}, {"role": "assistant", "content": "Ho"}]})");
    QVERIFY2(one.has_value(), one ? "" : one.error().message().c_str());
    QCOMPARE(textsOf(one->conversations[0]), s("system: Be brief | user: Hi | assistant: Ho"));
    QCOMPARE(one->leftOut, 2);
    QCOMPARE(one->conversations[0].conversation.title, s("Hi"));
    const auto lines = imported(
        "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}\n\n{\"messages\": [{\"role\": \"user\", \"content\": \"b\"}]}\n",
        "x.jsonl");
    QCOMPARE(lines->conversations.size(), 2U);
    const auto turns = imported("{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"assistant\", \"content\": \"b\"}\n", "x.jsonl");
    QCOMPARE(textsOf(turns->conversations[0]), s("user: a | assistant: b"));
    QCOMPARE(textsOf(imported("[{\"role\": \"user\", \"content\": \"a\"}]")->conversations[0]), s("user: a"));
  }

  void errorsSayWhereAndWhat_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* bytes, const char* message) {
      QTest::newRow(name) << QByteArray(bytes) << s(message);
    };
    row("cut", "{\n \"messages\": [", "this file is not valid JSON (f.json, line 2, column");
    row("no messages", "{\"a\": 1}", "(f.json): expected \"messages\" (Minerva, OpenAI) or \"mapping\" (ChatGPT), found an object");
    row("role", "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"cat\", \"content\": \"\"}]}",
        "(f.json.messages[1].role): expected \"user\"");
    row("content", "[{\"role\": \"user\", \"content\": 7}]", "(f.json[0].content): expected text, or a list of parts, found 7");
    row("author", "{\"messages\": [{\"id\": 1, \"parent\": 0, \"author\": \"cat\", \"text\": \"\"}]}",
        "(f.json.messages[0].author): expected \"user\", \"assistant\" or \"system\", found \"cat\"");
    row("circle", "{\"messages\": [{\"id\": 1, \"parent\": 2, \"author\": \"user\", \"text\": \"\"}]}",
        "(f.json.messages[0].parent): expected 0 or the id of a message before it, found 2");
    row("twice",
        "{\"messages\": [{\"id\": 1, \"parent\": 0, \"author\": \"user\", \"text\": \"\"}, {\"id\": 1, \"parent\": 0, \"author\": \"user\", \"text\": \"\"}]}",
        "(f.json.messages[1].id): expected a unique id, found 1");
    row("node", "[{\"mapping\": {\"a\": {\"message\": null, \"children\": [\"b\"]}}}]",
        "(f.json[0].mapping.a.children[0]): expected the name of a node in \"mapping\", found \"b\"");
    row("ring", "[{\"mapping\": {\"a\": {\"parent\": \"b\", \"children\": [\"b\"]}, \"b\": {\"parent\": \"a\", \"children\": [\"a\"]}}}]",
        "expected nodes that are all connected to a root");
    row("line", "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"user\"", "(f.json, line 2, line 1, column");
    row("empty", "", "this file contains no messages (f.json)");
    row("prose", "just a text", "this file contains no messages (f.json): expected an export of Minerva");
  }
  void errorsSayWhereAndWhat() {
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, message);
    const auto back = imported(bytes, "f.json");
    QVERIFY(!back.has_value());
    const QString got = QString::fromStdString(back.error().message());
    QVERIFY2(got.contains(message), qPrintable(got));
  }

  void figuresOutOfRangeAreUnknown() {
    const auto back = imported(R"({"title": "T", "messages": [{"id": 1, "parent": 0, "author": "assistant", "text": "Hi", "given": 99,
      "left_out_above": -5, "figures": {"ttft_ms": 1e300, "decode_tokens_per_second": -7, "prefill_tokens_per_second": 12.5,
      "prompt_tokens": 1e300, "generated_tokens": -9, "reused_tokens": 7}}]})");
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    const Message& message = back->conversations[0].messages[0];
    QCOMPARE(message.figures.ttftMs, -1.0);
    QCOMPARE(message.figures.decodeTokensPerSecond, -1.0);
    QCOMPARE(message.figures.prefillTokensPerSecond, 12.5);
    QCOMPARE(message.figures.promptTokens, -1);
    QCOMPARE(message.figures.generatedTokens, -1);
    QCOMPARE(message.figures.reusedTokens, 7);
    QCOMPARE(message.given, 2);
    QCOMPARE(message.leftOutAbove, 0);
  }

  void whatAnswersNothingCannotBeReplaced() {
    MessageModel model;
    const auto row = [](Author author, qint64 parent) {
      Message message;
      message.author = author;
      message.parent = parent;
      return MessageModel::rowFor(message, 1, 1);
    };
    for (const auto& [author, parent] : {std::pair{Author::system, 0}, {Author::assistant, 0}, {Author::user, 1}, {Author::assistant, 2}})
      model.push(row(author, parent));
    for (int at = 0; at < 4; ++at) QCOMPARE(model.data(model.index(at), MessageModel::ReplaceableRole).toBool(), at == 3);
    QCOMPARE(model.data(model.index(0), MessageModel::StatusTextRole).toString(), s("System prompt"));
  }

  void cutAnywhereNothingIsHalfRead() {
    const ImportedConversation one = rich();
    const QByteArray exported = toJson(one.conversation, one.messages);
    for (qsizetype size = 0; size < exported.size() - 2; size += 7) QVERIFY(!imported(exported.left(size)).has_value());
  }

  void inTheWindow() {
    QTemporaryDir folder;
    Settings settings(folder.filePath(s("settings.ini")));
    Presets presets(&settings);
    StoreThread store(folder.filePath(s("chat.sqlite")));
    ScriptedSource source;
    ChatController chat(&source, &store, &presets);
    QSignalSpy opened(&chat, &ChatController::opened);
    QVERIFY(opened.wait(patienceMs));
    QVERIFY(chat.send(s("before")));
    source.say(s("ok"));
    source.end(minerva::engine::FinishReason::endOfTurn);

    const ImportedConversation one = rich();
    const QString path = folder.filePath(s("foxes.json"));
    QVERIFY(exportConversation(path, ExportKind::json, one.conversation, one.messages).has_value());
    chat.importFrom(QUrl::fromLocalFile(path));
    QVERIFY(chat.importNote().contains(s("Reading")));
    QTRY_COMPARE(chat.title(), s("Füchse"));
    QTRY_COMPARE(chat.messages()->count(), 3);
    QCOMPARE(chat.conversations()->count(), 2);
    QVERIFY2(chat.importNote().contains(s("foxes.json")), qPrintable(chat.importNote()));
    chat.importFrom(QUrl::fromLocalFile(path));  // once more: it is here
    QTRY_VERIFY2(chat.importNote().contains(s("already")), qPrintable(chat.importNote()));
    QCOMPARE(chat.conversations()->count(), 2);
    QVERIFY(chat.send(s("after")));  // ids do not collide
    source.say(s("ok"));
    source.end(minerva::engine::FinishReason::endOfTurn);
    QCOMPARE(chat.messages()->count(), 5);
    // What was chosen decides, not the name.
    chat.exportTo(chat.currentId(), QUrl::fromLocalFile(folder.filePath(s("words.json"))), s("md"));
    chat.exportTo(chat.currentId(), QUrl::fromLocalFile(folder.filePath(s("again 1.2"))), s("json"));
    chat.flush();
    QFile again(folder.filePath(s("again 1.2")));
    QTRY_VERIFY(again.exists());
    QVERIFY(again.open(QIODevice::ReadOnly));
    QCOMPARE(imported(again.readAll())->messages(), 8);
    QFile words(folder.filePath(s("words.json")));
    QVERIFY(words.open(QIODevice::ReadOnly));
    QVERIFY(words.readAll().startsWith(s("# Füchse\n").toUtf8()));

    QFile bad(folder.filePath(s("bad.json")));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("{\"messages\": [{\"role\": 1}]}");
    bad.close();
    chat.importFrom(QUrl::fromLocalFile(bad.fileName()));
    QTRY_VERIFY(chat.storeError().isSet());
    QVERIFY2(chat.storeError().details.contains(s("bad.json.messages[0].role")), qPrintable(chat.storeError().details));
    QCOMPARE(chat.importNote(), QString());
    QCOMPARE(chat.conversations()->count(), 2);
  }

  void aConversationFromTheFutureIsOfToday() {
    const QTemporaryDir folder;
    ImportedConversation one = rich();
    one.conversation.updated = QDateTime::currentDateTimeUtc().addYears(1000);
    QFile file(folder.filePath(s("future.json")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(toJson(one.conversation, one.messages)) > 0);
    file.close();
    const auto back = importConversations(file.fileName());
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    QVERIFY(back->conversations[0].conversation.updated <= QDateTime::currentDateTimeUtc());
  }

  void aFullDiskLeavesNothingHalf() {
    QTemporaryDir folder;
    auto store = ChatStore::open(folder.filePath(s("chat.sqlite")));
    Imported many;
    many.conversations.assign(200, rich());
    for (auto& one : many.conversations)
      for (std::size_t i = 0; i < one.messages.size(); ++i)
        one.messages[i].id = static_cast<qint64>(i) + 1, one.messages[i].parent = static_cast<qint64>(i),
        one.messages[i].text = QString(3000, QLatin1Char('x'));
    QVERIFY((*store)->limitPages(100).has_value());
    std::vector<Conversation> saved;
    const auto done = saveImported(**store, many, 1, saved);
    QVERIFY(!done.has_value());
    QVERIFY(done.error().message().find("the disk is full") != std::string::npos);
    QCOMPARE((*store)->conversations()->size(), 0U);
  }
};

APP_TEST(ImportTest, "import", QCoreApplication)
#include "tst_import.moc"
