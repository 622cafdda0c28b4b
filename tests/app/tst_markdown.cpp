// Markdown as flat blocks: the result of each construct, and that it does not depend on how the text is split.
#include "app/chat/block_model.h"
#include "app/chat/code_highlighter.h"
#include "app/chat/languages.h"
#include "app/chat/markdown.h"
#include "app_test.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace minerva::app;
using Kind = MarkdownBlock::Kind;

namespace {

std::vector<MarkdownBlock> whole(const QString& text) { return MarkdownSplitter().append(text).blocks; }

// The blocks that a model ends up with after applying all changes.
std::vector<MarkdownBlock> inPieces(const QString& text, const std::vector<qsizetype>& cuts) {
  MarkdownSplitter splitter;
  std::vector<MarkdownBlock> blocks;
  qsizetype from = 0;
  const auto feed = [&](qsizetype to) {
    const MarkdownSplitter::Change change = splitter.append(text.mid(from, to - from));
    blocks.resize(static_cast<std::size_t>(change.firstChanged));
    blocks.insert(blocks.end(), change.blocks.begin(), change.blocks.end());
    from = to;
  };
  for (const qsizetype cut : cuts) feed(cut);
  feed(text.size());
  return blocks;
}

const char* const everyKindOfBlock =
    "# Title\n\nOpen the file, take *one* line at a time,\nand **split** it at `,`:\n\n```cpp\nstd::ifstream f(\"a\");\n\nfor (;;) {\n"
    "}\n```\nAfter.\n\n- one\n- two\n\n  more of two\n  ```sh\n  ls\n\n  cd\n  ```\n- three\n  1. a\n  2. b\n\nText\n\n3. third\n4. fourth\n\n"
    "| a | b |\n|:---|---:|\n| 1 | **2** |\n\n> quoted\n> ```\n> code\n> ```\n\n---\n\n- [x] done\n- [ ] open\n\nEnd <b>raw</b> &amp; "
    "[link](https://example.org) [bad](javascript:alert(1))\n~~~\nopen fence\n";

}  // namespace

class MarkdownTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void blocksOfEveryKind() {
    const auto blocks = whole(QString::fromUtf8(everyKindOfBlock));
    QVERIFY(blocks.size() > 15);
    QCOMPARE(blocks[0].kind, Kind::heading);
    QCOMPARE(blocks[0].level, 1);
    QCOMPARE(blocks[1].kind, Kind::paragraph);
    QCOMPARE(blocks[1].html, QStringLiteral("Open the file, take <i>one</i> line at a time,<br>and <b>split</b> it at <code>,</code>:"));
    QCOMPARE(blocks[2].kind, Kind::code);
    QCOMPARE(blocks[2].language, QStringLiteral("cpp"));
    QCOMPARE(blocks[2].source, QStringLiteral("std::ifstream f(\"a\");\n\nfor (;;) {\n}"));
    QCOMPARE(blocks[3].source, QStringLiteral("After."));
    QCOMPARE(blocks[4].kind, Kind::listItem);
    QCOMPARE(blocks[4].marker, QStringLiteral("•"));
    QCOMPARE(blocks[4].indent, 1);
  }

  void listsAreFlat() {
    const auto blocks = whole(QStringLiteral("3. a\n   - b\n4. c\n"));
    QCOMPARE(blocks.size(), 3U);
    QCOMPARE(blocks[0].marker, QStringLiteral("3."));
    QCOMPARE(blocks[1].marker, QStringLiteral("•"));
    QCOMPARE(blocks[1].indent, 2);
    QCOMPARE(blocks[2].marker, QStringLiteral("4."));
    QCOMPARE(blocks[2].indent, 1);
  }

  void aLooseItemHasOneMarker() {
    const auto blocks = whole(QStringLiteral("- a\n\n  second\n\n- b\n"));
    QCOMPARE(blocks.size(), 3U);
    QCOMPARE(blocks[0].kind, Kind::listItem);
    QCOMPARE(blocks[1].kind, Kind::paragraph);
    QVERIFY(blocks[1].marker.isEmpty());
    QCOMPARE(blocks[1].indent, 1);
    QCOMPARE(blocks[2].marker, QStringLiteral("•"));
  }

  void tablesHaveCellsAndAlignments() {
    const auto blocks = whole(QStringLiteral("| a | b |\n|:-:|--:|\n| 1 | **2** |\n"));
    QCOMPARE(blocks.size(), 1U);
    QCOMPARE(blocks[0].columns, 2);
    QCOMPARE(blocks[0].cells, (QStringList{QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("1"), QStringLiteral("<b>2</b>")}));
    QCOMPARE(blocks[0].alignments, (QList<int>{Qt::AlignHCenter, Qt::AlignRight}));
  }

  void htmlIsShownAsText() {
    const auto blocks = whole(QStringLiteral("<script>alert(1)</script> <b>x</b>\n\n<img src=x onerror=y>"));
    for (const MarkdownBlock& block : blocks) {
      QVERIFY(!block.html.contains(QLatin1String("<script")));
      QVERIFY(!block.html.contains(QLatin1String("<b>")));
      QVERIFY(!block.html.contains(QLatin1String("<img")));
    }
    QVERIFY(blocks[0].html.contains(QLatin1String("&lt;script&gt;")));
  }

  void onlyWebAndMailLinksHaveATarget() {
    QVERIFY(whole(QStringLiteral("[a](https://x.org)"))[0].html.contains(QLatin1String("href=\"https://x.org\"")));
    QVERIFY(whole(QStringLiteral("[a](https://x.org/?b=1&amp;c=&#50;)"))[0].html.contains(
        QLatin1String("href=\"https://x.org/?b=1&amp;c=2\"")));
    QVERIFY(!whole(QStringLiteral("[a](javascript&#x3a;alert(1))"))[0].html.contains(QLatin1String("href")));
    QVERIFY(!whole(QStringLiteral("[a](javascript:alert(1))"))[0].html.contains(QLatin1String("href")));
    QVERIFY(!whole(QStringLiteral("![a](file:///etc/passwd)"))[0].html.contains(QLatin1String("href")));
  }

  // As FrameCoalescer writes it.
  void aCallOfAToolIsABlockOfItsOwn() {
    const auto blocks = whole(QStringLiteral("Let me look.\n\n```tool_call\nget\ncity: \"*Paris*\"\n```\n\nAfter"));
    QCOMPARE(blocks.size(), 3U);
    QCOMPARE(blocks[1].kind, Kind::code);
    QCOMPARE(blocks[1].language, QStringLiteral("tool_call"));
    QCOMPARE(blocks[1].source, QStringLiteral("get\ncity: \"*Paris*\""));
  }

  void thinkingIsABlockOfItsOwn() {
    auto blocks = whole(QStringLiteral("<think>\nhm, *so*\n\n```\nx\n"));
    QCOMPARE(blocks.size(), 1U);
    QCOMPARE(blocks[0].kind, Kind::thinking);
    blocks = whole(QStringLiteral("<think>\nhm\n\nmore\n</think>\n\nAnswer"));
    QCOMPARE(blocks.size(), 2U);
    QCOMPARE(blocks[0].source, QStringLiteral("hm\n\nmore"));
    QCOMPARE(blocks[1].source, QStringLiteral("Answer"));
  }

  void onlyTheBeginningIsThoughts() {
    auto blocks =
        whole(QStringLiteral("Some write their thoughts between tags:\n\n<think> opens them, and another tag ends them.\n\nThen"));
    QCOMPARE(blocks.size(), 3U);
    for (const MarkdownBlock& block : blocks) QCOMPARE(block.kind, Kind::paragraph);
    QVERIFY(blocks[1].source.startsWith(QStringLiteral("<think> opens")));
    blocks = whole(QStringLiteral("[a]: https://example.org\n\n<think> opens them"));  // a chunk without a block is before it
    QCOMPARE(blocks[0].kind, Kind::paragraph);
  }

  // As FrameCoalescer writes them: see reply_text.h.
  void laterThoughtsAreBlocksToo() {
    const QString text = QStringLiteral(
        "<think>\nIt ends with </think\\>, or </think\\\\>.\n\n- a\n</think>\n\nLet me look.\n\n<think again>\n\n\nB\n\nC\n</think>\n\n\n\nDone: "
        "<think again>");
    const auto blocks = whole(text);
    QCOMPARE(blocks.size(), 4U);
    QCOMPARE(blocks[0].kind, Kind::thinking);
    QCOMPARE(blocks[0].source, QStringLiteral("It ends with </think>, or </think\\>.\n\n- a"));
    QCOMPARE(blocks[1].source, QStringLiteral("Let me look."));
    QCOMPARE(blocks[2].kind, Kind::thinking);
    QCOMPARE(blocks[2].source, QStringLiteral("B\n\nC"));
    QCOMPARE(blocks[3].kind, Kind::paragraph);
    for (qsizetype size = 1; size < 40; ++size) {
      std::vector<qsizetype> cuts;
      for (qsizetype at = size; at < text.size(); at += size) cuts.push_back(at);
      QVERIFY2(inPieces(text, cuts) == blocks, qPrintable(QStringLiteral("pieces of %1").arg(size)));
    }
  }

  void nestingWithoutEndIsBounded() {
    const auto blocks = whole(QString(5000, u'>') + QStringLiteral(" deep\n\n") + QString(3000, u'[') + QString(3000, u'*'));
    for (const MarkdownBlock& block : blocks) QVERIFY(block.quote <= 8);
  }

  void piecesGiveTheSameAsTheWhole() {
    const QString text = QString::fromUtf8(everyKindOfBlock);
    const auto expected = whole(text);
    for (qsizetype size = 1; size < 40; ++size) {
      std::vector<qsizetype> cuts;
      for (qsizetype at = size; at < text.size(); at += size) cuts.push_back(at);
      QVERIFY2(inPieces(text, cuts) == expected, qPrintable(QStringLiteral("pieces of %1").arg(size)));
    }
  }

  void randomTextsInRandomPieces() {
    QRandomGenerator random(7);
    const QStringList parts{QStringLiteral("```\n"),       QStringLiteral("\n"),        QStringLiteral("\n\n"),
                            QStringLiteral("- a\n"),       QStringLiteral("text "),     QStringLiteral("  "),
                            QStringLiteral("~~~~\n"),      QStringLiteral("1. x\n"),    QStringLiteral("> q\n"),
                            QStringLiteral("| a | b |\n"), QStringLiteral("|--|--|\n"), QStringLiteral("# h\n"),
                            QStringLiteral("**b"),         QStringLiteral("`c`"),       QStringLiteral("<think>"),
                            QStringLiteral("</think>\n"),  QStringLiteral("---\n"),     QStringLiteral("<think again>\n"),
                            QStringLiteral("ü€😀")};
    for (int round = 0; round < 500; ++round) {
      QString text;
      for (int i = random.bounded(40); i >= 0; --i) text += parts[random.bounded(parts.size())];
      std::vector<qsizetype> cuts;
      for (qsizetype at = 1 + random.bounded(9); at < text.size(); at += 1 + random.bounded(9)) cuts.push_back(at);
      QVERIFY2(inPieces(text, cuts) == whole(text), qPrintable(text));
    }
  }

  void theModelFollowsAStream() {
    BlockModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QString text = QString::fromUtf8(everyKindOfBlock);
    for (qsizetype at = 0; at < text.size(); at += 3) model.append(text.mid(at, 3));
    model.finish();
    const auto expected = whole(text);
    QCOMPARE(model.count(), static_cast<int>(expected.size()));
    for (int row = 0; row < model.count(); ++row) {
      QCOMPARE(model.data(model.index(row), BlockModel::SourceRole).toString(), expected[static_cast<std::size_t>(row)].source);
      QCOMPARE(model.data(model.index(row), BlockModel::CompleteRole).toBool(), true);
    }
    model.setText(QStringLiteral("short"), true);
    QCOMPARE(model.count(), 1);
  }

  void finishedBlocksAreNotToldAgain() {
    BlockModel model;
    model.append(QStringLiteral("# Title\n\nA paragraph.\n\n```\ncode\n```\n\nThe last"));
    QSignalSpy changes(&model, &BlockModel::dataChanged);
    for (int i = 0; i < 50; ++i) model.append(QStringLiteral(" word"));
    QCOMPARE(changes.count(), 50);
    for (const QList<QVariant>& change : changes) QCOMPARE(change[0].toModelIndex().row(), model.count() - 1);
  }

  void anOwnMessageStaysAsTyped() {
    const auto blocks = parsePlain(QStringLiteral("# not a title\n*a* <b>\n```py\nx = 1\n```\nend"));
    QCOMPARE(blocks.size(), 3U);
    QCOMPARE(blocks[0].kind, Kind::paragraph);
    QVERIFY(blocks[0].html.contains(QLatin1String("# not a title<br>*a* &lt;b&gt;")));
    QCOMPARE(blocks[1].kind, Kind::code);
    QCOMPARE(blocks[1].language, QStringLiteral("py"));
    QCOMPARE(blocks[1].source, QStringLiteral("x = 1"));
    QCOMPARE(blocks[2].source, QStringLiteral("end"));
  }

  // There is a gap before a list, but not between its items.
  void theFirstItemOfAListIsKnown() {
    BlockModel model;
    model.setText(QStringLiteral("words\n\n- one\n- two\n\n  ```\n  code\n  ```\n- three\n\nwords\n\n1. again"), true);
    QList<int> opening;
    for (int row = 0; row < model.count(); ++row)
      if (model.data(model.index(row), BlockModel::OpensListRole).toBool()) opening << row;
    QCOMPARE(opening, (QList<int>{1, 6}));
    model.setText(QStringLiteral("one\n\n- two"), true);
    QVERIFY(model.data(model.index(1), BlockModel::OpensListRole).toBool());
    QSignalSpy changes(&model, &BlockModel::dataChanged);
    model.setText(QStringLiteral("- one\n- two"), true);
    QVERIFY(!model.data(model.index(1), BlockModel::OpensListRole).toBool());
    const auto told = [](const QList<QVariant>& change) { return change[0].toModelIndex().row() == 1; };
    QVERIFY(std::any_of(changes.begin(), changes.end(), told));
  }

  void aBlockTakesTheDirectionOfItsFirstLetter() {
    const auto runsLeftwards = [](const char* markdown) {
      BlockModel model;
      model.setText(QString::fromUtf8(markdown), true);
      return model.data(model.index(0), BlockModel::RightToLeftRole).toBool();
    };
    QVERIFY(!runsLeftwards("abc \u0627\u0628"));
    QVERIFY(runsLeftwards("**\u0627\u0628** abc"));
    QVERIFY(runsLeftwards("(12) \u05d0\u05d1"));
    QVERIFY(!runsLeftwards("\u4e2d\u6587 \u0627"));
    QVERIFY(!runsLeftwards("```\n\u0627\n```"));
  }

  void everyLanguageIsFoundByItsNames() {
    for (const char* name : {"cpp", "C++", "python", "py", "js", "ts", "bash", "sh", "json", "rust", "c", "java", "go", "qml", "sql"})
      QVERIFY2(languageNamed(QString::fromLatin1(name)) != nullptr, name);
    QVERIFY(languageNamed(QStringLiteral("no such language")) == nullptr);
    QVERIFY(languageNamed({}) == nullptr);
  }
};

APP_TEST(MarkdownTest, "markdown", QGuiApplication)
#include "tst_markdown.moc"
