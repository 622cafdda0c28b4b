// A growing paragraph: existing lines are not laid out again, and the final document is the one that the whole text would
// give.
#include "app/chat/html_cut.h"
#include "app/chat/markdown.h"
#include "app/chat/paragraph_text.h"
#include "app_test.h"

#include <QAbstractTextDocumentLayout>
#include <QRandomGenerator>
#include <QTest>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocumentFragment>
#include <QXmlStreamReader>

using namespace minerva::app;

namespace {

const QString tag = QStringLiteral("<p style=\"line-height:155%;margin:0\">");

// Everything that a paragraph can contain, with lines that break in words without spaces and at explicit breaks.
const char* const longParagraph =
    "Take *one line at a time* and **split it at `a,b` or [at a link](https://example.org/a?b=1&c=2) of some words** &amp; "
    "go on: 1 < 2,  two  spaces and ~~what is struck~~ &mdash; a break\\\nhere, then **bold over\\\na break** and 使用 **Python 编写的程序** "
    "&lt;很多😀&#128512;\t\u3000&value;`x y` \u0430\u0431\u0432 averyveryverylongwordthatnolinecanholdandthatmustbebrokenwhereitsroomends to the end of it all.";

QString htmlOf(const QString& markdown) { return parseMarkdown(markdown).front().html; }
QString plainTextOf(const QString& html) { return QTextDocumentFragment::fromHtml(html).toPlainText(); }

struct Paragraph {
  QTextDocument document;
  ParagraphText text;
  explicit Paragraph(double width = 200) {
    document.setDocumentMargin(0);
    document.setTextWidth(width);
    text.setProperty("tag", tag);
    text.setDocument(&document);
  }
  [[nodiscard]] double height() const { return document.size().height(); }
  [[nodiscard]] QString all() const { return text.text(0, document.characterCount() - 1); }
};

// Position and text of every line, over all blocks.
QStringList linesOf(const QTextDocument& document) {
  QStringList lines;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    const QPointF origin = document.documentLayout()->blockBoundingRect(block).topLeft();
    for (int i = 0; i < block.layout()->lineCount(); ++i) {
      const QTextLine line = block.layout()->lineAt(i);
      const QRectF rect = line.naturalTextRect().translated(origin);
      QString words = block.text().mid(line.textStart(), line.textLength());
      words.remove(QChar::LineSeparator);
      lines << QStringLiteral("%1,%2 %3").arg(std::round(rect.left())).arg(std::round(rect.bottom())).arg(words.trimmed());
    }
  }
  return lines;
}

}  // namespace

class ParagraphTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aCutTextIsTheSameText() {
    QRandomGenerator random(7);
    const QString html = htmlOf(QString::fromUtf8(longParagraph));
    for (int round = 0; round < 200; ++round) {
      QStringList parts, openTags;
      qsizetype from = 0;
      while (true) {
        const HtmlCut cut = cutHtml(html, from, openTags, 1 + random.bounded(40));
        if (cut.end == from) break;
        QString closing;
        for (auto name = cut.openTags.crbegin(); name != cut.openTags.crend(); ++name)
          closing += QStringLiteral("</%1>").arg(name->section(QRegularExpression(QStringLiteral("[< >]")), 1, 1));
        parts << openTags.join(QString()) + html.mid(from, cut.end - from) + closing;
        from = cut.begin;
        openTags = cut.openTags;
      }
      parts << openTags.join(QString()) + html.mid(from);
      QVERIFY(parts.size() > 5);
      QString words;
      for (const QString& part : parts) {
        words += plainTextOf(part);
        QString xml = part;
        xml.replace(QLatin1String("<br>"), QLatin1String("<br/>"));
        QXmlStreamReader balanced(QStringLiteral("<p>") + xml + QStringLiteral("</p>"));
        while (!balanced.atEnd()) balanced.readNext();
        QVERIFY2(!balanced.hasError(), qPrintable(part + balanced.errorString()));
      }
      const QRegularExpression space(QStringLiteral("\\s"));
      QCOMPARE(words.remove(space), plainTextOf(html).remove(space));  // a space at a cut is in neither part
    }
  }

  // Lines may break anywhere in Chinese text and inside long words.
  void aTextIsCutExactlyAtACharacter() {
    const QString html = htmlOf(QString::fromUtf8(longParagraph));
    const QString all = plainTextOf(html);
    for (int character = 1; character < all.size(); ++character) {
      if (all[character].isLowSurrogate() || all[character].isSpace()) continue;  // no line starts here
      const HtmlCut cut = cutHtml(html, 0, {}, character);
      const int space = all[character - 1].isSpace() ? 1 : 0;
      QCOMPARE(plainTextOf(html.left(cut.end)), all.left(character - space));
      QCOMPARE(plainTextOf(cut.openTags.join(QString()) + html.mid(cut.begin)), all.mid(character));
    }
  }

  void itGrowsAsItWillStand_data() {
    QTest::addColumn<QString>("markdown");
    QTest::newRow("mixed") << QString::fromUtf8(longParagraph);
    QTest::newRow("formats")
        << QStringLiteral("Take *one* `code` of **two** [a](https://example.org/b) ~~x~~ 1 &lt; 2 **`b`** ").repeated(5).trimmed();
    QTest::newRow("leftwards") << QString::fromUtf8("\u05d0\u05d1\u05d2 \u05d3\u05d4 abc def 12 \u05d5\u05d6 ").repeated(12).trimmed();
    QTest::newRow("chinese") << QString::fromUtf8("没有空格的文字").repeated(20);
    const QString rest = QStringLiteral("one two three four five six seven eight nine ten eleven twelve thirteen");
    QTest::newRow("tabs") << QStringLiteral("Name\t\tAge \tTown\t of ") + rest;
    QTest::newRow("wide spaces") << QString::fromUtf8("\u3000\u3000春天来了，\u3000\u3000花儿都开了，小鸟在树上唱歌。").repeated(4);
    QTest::newRow("thin spaces") << QString::fromUtf8("10\u2009000 \u2009km, 5 \u2003 em, 7\u00a0\u00a0 % of ") + rest;
    QTest::newRow("separators") << QString::fromUtf8("a\u2028b\u2029c\u0085d\ufdd0e\ufdd1f ") + rest;
    QTest::newRow("entities") << QStringLiteral("p = &value; &#128512; &#x1F601;&alpha;&thinsp; &rarr;&#150;&#9;&amp;lt; and ") + rest;
    QTest::newRow("breaks") << QStringLiteral("one\\\ntwo two\\\n\\\nthree\\\n").repeated(6) + QStringLiteral("end");
  }
  void itGrowsAsItWillStand() {
    QFETCH(const QString, markdown);
    for (int step : {1, 7, 30}) {
      Paragraph growing;
      growing.text.setGrowing(true);
      QString before;
      bool pure = true;
      for (qsizetype end = 1; end <= markdown.size(); end += step) {
        if (step == 1 && markdown.contains(u' ') && end < markdown.size() && !markdown[end].isSpace()) continue;
        const QString html = htmlOf(markdown.left(end));
        growing.text.setHtml(html);
        Paragraph still;
        still.text.setHtml(html);
        pure = pure && html.startsWith(before);
        before = html;
        QCOMPARE(growing.all().simplified().remove(u' '), still.all().simplified().remove(u' '));
        if (!pure) continue;  // a Markdown sign that vanished may have moved a word to the next line, where it stays until the end
        QCOMPARE(linesOf(growing.document), linesOf(still.document));
        QVERIFY(std::abs(growing.height() - still.height()) < 1);
        QVERIFY(growing.document.lastBlock().layout()->lineCount() <= 2);  // two if the last line is too short to be split off
        QCOMPARE(growing.text.end(), still.text.end());
      }
      QVERIFY(growing.document.blockCount() > 1);
      const QString html = growing.text.html();
      growing.text.setGrowing(false);
      Paragraph still;
      still.text.setHtml(html);
      QCOMPARE(growing.document.blockCount(), 1);
      QCOMPARE(growing.document.toRawText(), still.document.toRawText());
      QCOMPARE(linesOf(growing.document), linesOf(still.document));
      QCOMPARE(growing.all(), still.all());
      QVERIFY(std::abs(growing.height() - still.height()) < 1);
    }
  }

  void whatStandsIsLaidOutOnceOnly() {
    Paragraph paragraph;
    paragraph.text.setGrowing(true);
    QString html = QStringLiteral("word ").repeated(200).trimmed();
    paragraph.text.setHtml(html);
    QCOMPARE(paragraph.document.blockCount(), 2);
    int earliest = paragraph.document.characterCount();
    const int settled = paragraph.document.lastBlock().position();
    connect(&paragraph.document, &QTextDocument::contentsChange, this,
            [&](int position, int, int) { earliest = std::min(earliest, position); });
    for (int i = 0; i < 50; ++i) paragraph.text.setHtml(html += QStringLiteral(" <b>more</b>"));
    QVERIFY2(earliest >= settled - 1, qPrintable(QStringLiteral("%1 was changed, %2 had settled").arg(earliest).arg(settled)));
    QVERIFY(paragraph.document.blockCount() > 5);
    // A text that changes in its first part is treated as a new text.
    paragraph.text.setHtml(QStringLiteral("else"));
    QCOMPARE(paragraph.document.toPlainText(), QStringLiteral("else"));
  }

  void whatIsSelectedStaysSelected() {
    Paragraph paragraph;
    paragraph.text.setGrowing(true);
    QString html = QStringLiteral("the fox and the bear sat by a river and ") + QStringLiteral("word ").repeated(40).trimmed();
    paragraph.text.setHtml(html);
    QTextCursor cursor = paragraph.document.find(QStringLiteral("bear sat by"));
    QVERIFY(cursor.hasSelection());
    for (int i = 0; i < 60; ++i) paragraph.text.setHtml(html += QStringLiteral(" more"));
    QCOMPARE(cursor.selectedText(), QStringLiteral("bear sat by"));
    cursor.setPosition(4);
    cursor.setPosition(paragraph.document.characterCount() - 30, QTextCursor::KeepAnchor);
    const QString before = paragraph.text.text(cursor.selectionStart(), cursor.selectionEnd());
    QVERIFY(before.startsWith(QLatin1String("fox and")) && !before.contains(u'\n'));
    paragraph.text.setGrowing(false);
    QCOMPARE(paragraph.text.text(cursor.selectionEnd(), cursor.selectionStart()), before);
  }

  void anotherWidthBreaksItsLinesElsewhere() {
    Paragraph paragraph;
    paragraph.text.setGrowing(true);
    QString html;
    for (int i = 0; i < 80; ++i) paragraph.text.setHtml(html += QStringLiteral("word "));
    paragraph.document.setTextWidth(320);
    paragraph.text.refit();
    Paragraph still(320);
    still.text.setHtml(html);
    QCOMPARE(linesOf(paragraph.document), linesOf(still.document));
  }
};

APP_TEST(ParagraphTest, "paragraph", QGuiApplication)
#include "tst_paragraph.moc"
