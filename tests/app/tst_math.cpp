// Formulas: how they are found in a text, laid out, and placed in its lines.
#include "app/chat/markdown.h"
#include "app/chat/paragraph_text.h"
#include "app/math/inline_math.h"
#include "app/math/math_cache.h"
#include "app/math/math_markup.h"
#include "app/math/math_spans.h"
#include "app_test.h"
#include "patience.h"
#include "utf8.h"

#include <QDir>
#include <QSignalSpy>
#include <QTextBlock>
#include <QTextDocument>

using namespace minerva::app;
using Kind = MarkdownBlock::Kind;

namespace {

QStringList formulasIn(const char* text) {
  std::vector<MathSpan> spans;
  static_cast<void>(hideMath(s(text), spans));
  QStringList all;
  for (const MathSpan& span : spans) all << (span.display ? s("D:") : s("I:")) + span.tex;
  return all;
}

#define NEEDS_KATEX \
  if (!Katex::isThere()) QSKIP("skipped: built without libjs-katex and fonts-katex")

// Number of threads of this process with that name.
int threadsCalled(const QByteArray& name) {
  int count = 0;
  for (const QString& task : QDir(s("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    QFile file(s("/proc/self/task/%1/comm").arg(task));
    if (file.open(QIODevice::ReadOnly) && file.readAll().trimmed() == name) ++count;
  }
  return count;
}

}  // namespace

class MathTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Must run first, because later tests start the thread.
  void aTextWithoutFormulasStartsNothing() {
    ParagraphText paragraph;
    paragraph.setHtml(s("It costs <b>$5</b> and <code>$x$</code>."));
    QCOMPARE(threadsCalled("formulas"), 0);
    paragraph.setHtml(s("<code title=\"math\">$x$</code>"));
    QTRY_COMPARE(threadsCalled("formulas"), 1);  // the thread sets its own name
  }

  void formulasAreFound_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("found");
    const auto row = [](const char* text, const char* found) {
      QTest::newRow(s(text).simplified().toUtf8().constData()) << QByteArray(text) << s(found);
    };
    row("so $x^2$ is", "I:x^2");
    row("$a$, $b$ and $c$.", "I:a I:b I:c");
    row("\\(a_1\\) and \\[b\n= c\\]", "I:a_1 D:b\n= c");
    row("$$\nx = 1\n$$", "D:x = 1");
    row("$$a$$ and $b$", "D:a I:b");
    row("**$x$** ($y$)", "I:x I:y");
    row("it is $5$ or $10x$", "I:5 I:10x");
    row("$2 + 2 = 4$", "I:2 + 2 = 4");
    row("$\\$5$", "I:\\$5");
    // Prices and other dollar signs.
    row("$5 and $10", "");
    row("between $5-$10, or $20/$30", "");
    row("$5 or 10$", "");
    row("it costs $5, not $6.50.", "");
    row("US$5 and US$6", "");
    row("$1,000 and $2,000 are both $-amounts", "");
    row("echo $HOME and $PATH", "");
    row("\\$5 and \\$6$", "");
    row("$ x $", "");
    row("a $ b", "");
    // In code.
    row("`$x$` and ``\\(a\\)``", "");
    row("```\n$x$\n```\n$y$", "I:y");
    row("~~~sh\n$$\n~~~", "");
    row("an open ` and $x$", "I:x");
    // Incomplete formulas.
    row("$$\nx", "");
    row("$$a\n\nb$$", "");
    row("\\[ a", "");
    row("$a\nb$", "");
    row("\\\\(a\\)", "");
  }
  void formulasAreFound() {
    QFETCH(const QByteArray, text);
    QFETCH(const QString, found);
    QCOMPARE(formulasIn(text.constData()).join(u' '), found);
  }

  void whatIsNoFormulaIsNotTouched() {
    for (const char* text : {"$5 and $10 `x` \\(", "```\n$x$\n```", "\\$ \\\\ \\* $", "a\xEF\xA3\xB0 $x$"}) {
      std::vector<MathSpan> spans;
      QCOMPARE(hideMath(s(text), spans), s(text));
    }
  }

  void oneAloneIsABlock() {
    const auto blocks =
        MarkdownSplitter()
            .append(s(
                "Then\n$$x_1 * y_1$$\nwhere $a*b*c$ holds.\n\n- item \\[z\\]\n- $$w$$\n\n> \\[q\\]\n\n# $t$\n\n| $h$ | b |\n|---|---|\n| $$c$$ | 2 |\n"))
            .blocks;
    QStringList kinds;
    for (const MarkdownBlock& block : blocks) kinds << s("%1:%2").arg(static_cast<int>(block.kind)).arg(block.source);
    QCOMPARE(blocks.size(), 9U);
    QCOMPARE(blocks[0].html, s("Then"));
    QVERIFY(blocks[1].kind == Kind::math);
    QCOMPARE(blocks[1].source, s("$$x_1 * y_1$$"));
    QCOMPARE(blocks[2].html, s("where <code title=\"math\">$a*b*c$</code> holds."));
    QCOMPARE(blocks[2].source, s("where $a*b*c$ holds."));
    QCOMPARE(blocks[3].marker, s("•"));
    QVERIFY(blocks[4].kind == Kind::math && blocks[4].indent == 1 && blocks[4].marker.isEmpty());
    QVERIFY(blocks[5].kind == Kind::math && blocks[5].marker == s("•"));
    QVERIFY(blocks[6].kind == Kind::math && blocks[6].quote == 1);
    QVERIFY(blocks[7].kind == Kind::heading);
    QCOMPARE(blocks[8].cells.size(), 4);
    QCOMPARE(blocks[8].cells[2], s("<code title=\"math\">$$c$$</code>"));
  }

  void inPiecesItIsTheSame() {
    const QString text = s("Let $x<y$ & \\(z\\):\n$$\na \\\\\nb\n$$\nend **$k$**\n\n- \\[m\\] after\n\n```\n$no$\n```\n$5 and $6\n");
    const auto expected = MarkdownSplitter().append(text).blocks;
    for (qsizetype cut = 1; cut < text.size(); ++cut) {
      MarkdownSplitter splitter;
      std::vector<MarkdownBlock> blocks = splitter.append(text.left(cut)).blocks;
      const auto change = splitter.append(text.mid(cut));
      blocks.resize(static_cast<std::size_t>(change.firstChanged));
      blocks.insert(blocks.end(), change.blocks.begin(), change.blocks.end());
      QVERIFY(blocks == expected);
    }
  }

  // Widths and positions are KaTeX's own (font metrics), in em; an em is 1.21 times the text's size.
  void itIsLaidOutAsKatexSays() {
    NEEDS_KATEX;
    MathPress press;
    const auto shape = [&](const char* tex, bool display) {
      const auto markup = press.katex.markup(s(tex), display);
      if (!markup) qFatal("%s", markup.error().message().c_str());
      auto made = layOut(*markup, 100 / 1.21, press.fonts);  // an em is 100 pixels
      if (!made) qFatal("%s", made.error().message().c_str());
      return *made;
    };
    const auto near = [](double a, double b) { return std::abs(a - b) < 0.5; };
    const MathShape ab = shape("ab", false);
    QVERIFY2(near(ab.width, 52.859 + 42.917), qPrintable(QString::number(ab.width)));
    QVERIFY(near(ab.strokes[1].bounds().top(), -69.444));
    // A fraction in display style: the upper baseline at 0.677, the lower at -0.686, the line centred at 0.25 and 0.04
    // thick.
    const MathShape fraction = shape("\\frac{a}{b}", true);
    QVERIFY(near(fraction.width, 12 + 52.859 + 12));
    QCOMPARE(fraction.strokes.size(), 3U);
    QVERIFY2(near(fraction.strokes[0].bounds().bottom(), 68.6 + 1), qPrintable(QString::number(fraction.strokes[0].bounds().bottom())));
    QVERIFY(near(fraction.strokes[1].bounds().top(), -27));
    QVERIFY(near(fraction.strokes[1].bounds().bottom(), -23));
    QVERIFY(near(fraction.strokes[1].bounds().width(), 52.859));
    QVERIFY2(near(fraction.strokes[2].bounds().bottom(), -67.7 + 1), qPrintable(QString::number(fraction.strokes[2].bounds().bottom())));
    // The line of a root is as wide as its content plus the sign.
    const MathShape root = shape("\\sqrt{ab}", false);
    QVERIFY2(near(root.width, 83.3 + 52.859 + 42.917), qPrintable(QString::number(root.width)));
    // Two lines.
    QVERIFY(shape("a \\\\ b", true).depth > 100);
  }

  void itIsDrawnInItsColourOrRefused() {
    NEEDS_KATEX;
    MathPress press;
    const MathPicture picture = press.draw({s("\\frac{a}{b}"), true, 20, QColor(10, 200, 30), 2});
    QVERIFY2(!picture.image.isNull(), qPrintable(picture.problem));
    QCOMPARE(picture.image.width(), static_cast<int>(picture.width * 2));
    QVERIFY(picture.baseline > picture.height / 3 && picture.baseline < picture.height);
    int inked = 0;
    for (int y = 0; y < picture.image.height(); ++y)
      for (int x = 0; x < picture.image.width(); ++x) {
        const QColor pixel = picture.image.pixelColor(x, y);
        if (pixel.alpha() < 250) continue;
        ++inked;
        QVERIFY(std::abs(pixel.red() - 10) <= 2 && std::abs(pixel.green() - 200) <= 2);
      }
    QVERIFY(inked > 50);
    for (const char* tex : {"\\nosuchthing", "\\frac{a}", "a \\tag{1}", "\\cancel{x}", "", "\\text{\xF4\x8F\xBF\xBD}"}) {
      const MathPicture refused = press.draw({s(tex), true, 20, Qt::black, 1});
      QVERIFY2(refused.image.isNull(), tex);
      QVERIFY2(!refused.problem.isEmpty(), tex);
    }
    QVERIFY(press.draw({QString(7000, u'x'), true, 20, Qt::black, 1}).problem.contains(s("6000")));
  }

  void whatIsTooMuchIsRefusedAndTheNextIsDrawn() {
    NEEDS_KATEX;
    MathPress press;
    for (const QString& tex : {QString(2900, u'{') + u'x' + QString(2900, u'}'), s("\\sqrt{").repeated(700) + u'x' + QString(700, u'}'),
                               s("\\def\\a{\\a\\a}\\a"), s("\\rule{40em}{40em}").repeated(40)}) {
      const MathPicture refused = press.draw({tex, true, 20, Qt::black, 2});
      QVERIFY2(refused.image.isNull(), qPrintable(tex.left(20)));
      QVERIFY2(!refused.problem.isEmpty(), qPrintable(tex.left(20)));
      QVERIFY(!press.draw({s("x"), true, 20, Qt::black, 1}).image.isNull());
    }
  }

  void withoutKatexThereIsAReason() {
    if (Katex::isThere()) QSKIP("skipped: this build has KaTeX");
    MathPress press;
    const MathPicture refused = press.draw({s("x"), true, 20, Qt::black, 1});
    QVERIFY(refused.image.isNull());
    QVERIFY2(refused.problem.contains(s("libjs-katex")), qPrintable(refused.problem));
  }

  void inALineItStandsOnTheBaselineAndIsCopiedAsSource() {
    NEEDS_KATEX;
    const QString html = s("Let <code title=\"math\">$x_1 &lt; y$</code> be, not <code title=\"math\">$\\nosuch$</code>.");
    QVERIFY(hasFormulas(html) && !hasFormulas(s("<code>$x$</code>")));
    QTextDocument document;
    QFont font = document.defaultFont();
    font.setPixelSize(16);
    document.setDefaultFont(font);
    QSignalSpy ready(&MathCache::instance(), &MathCache::ready);
    const auto show = [&] { return showFormulas(document, s("<p>"), html, s("</p>"), Qt::black, 1); };
    QVERIFY(!show());
    QCOMPARE(document.toPlainText(), s("Let $x_1 < y$ be, not $\\nosuch$."));  // shows the source until the formula is ready
    QVERIFY(ready.wait(patienceMs));
    QTRY_VERIFY(show());
    QCOMPARE(document.toPlainText().count(QChar::ObjectReplacementCharacter), 1);
    QCOMPARE(textWithFormulas(document, 0, document.characterCount()), s("Let $x_1 < y$ be, not $\\nosuch$."));
    QCOMPARE(textWithFormulas(document, 4, 5), s("$x_1 < y$"));
    // A formula wider than the document is scaled to the document's width.
    const auto width = [&] {
      for (auto part = document.begin().begin(); !part.atEnd(); ++part)
        if (const auto image = part.fragment().charFormat().toImageFormat(); image.isValid()) return image.width();
      return 0.0;
    };
    QVERIFY(width() > 40);
    document.setTextWidth(40);
    QVERIFY(show());
    QVERIFY2(width() > 20 && width() <= 40 - 2 * document.documentMargin(), qPrintable(QString::number(width())));
  }
};

#undef NEEDS_KATEX

APP_TEST(MathTest, "math", QGuiApplication)
#include "tst_math.moc"
