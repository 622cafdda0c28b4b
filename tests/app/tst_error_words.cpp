// The engine's errors in the window's language: whole sentences, and those that hold values.
#include "app/inference/error_info.h"
#include "app/shell/language.h"
#include "app/text/error_patterns.h"
#include "app/text/error_words.h"
#include "core/format/model_file.h"
#include "app_test.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using minerva::ErrorKind;
using namespace minerva::app;

namespace {

// The pattern with its values, each in its place.
QString with(QString pattern, const QStringList& values) {
  for (qsizetype i = 0; i < values.size(); ++i) pattern.replace(QStringLiteral("%%1").arg(i + 1), values[i]);
  return pattern;
}

QByteArray german(const char* context, const char* english) { return QCoreApplication::translate(context, english).toUtf8(); }

}  // namespace

class TestErrorWords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { useLanguage(QStringLiteral("de")); }
  void cleanup() { useLanguage(QStringLiteral("en")); }

  void translatesSentences_data() {
    QTest::addColumn<QString>("english");
    QTest::addColumn<QString>("german");
    const auto row = [](const char* name, const char* english, const char* german) {
      QTest::newRow(name) << QString::fromUtf8(english) << QString::fromUtf8(german);
    };
    row("whole", "The file is empty", "Die Datei ist leer");
    row("a hint", "Download it again.", "Laden Sie sie noch einmal herunter.");
    row("a value in the middle", "Tensor blk.0.ffn_up.weight occurs twice", "Tensor blk.0.ffn_up.weight kommt zweimal vor");
    row("a value at the end", "The model lacks the tensor output.weight", "Dem Modell fehlt der Tensor output.weight");
    row("several values", "The file ends inside string 3 of metadata key tokenizer.ggml.tokens",
        "Die Datei endet mitten in Zeichenkette 3 des Metadatenschlüssels tokenizer.ggml.tokens");
    row("a value like a place", "Tensors %2 and %1 overlap", "Die Tensoren %2 und %1 überlappen sich");
    row("a value with a quote, a line and markup", "Tensor \"a\n<b>b</b>&amp; occurs twice", "Tensor \"a\n<b>b</b>&amp; kommt zweimal vor");
    row("an empty value", "the file  is empty", "die Datei  ist leer");
    row("the longer pattern", "the file notes.txt is empty", "die Datei notes.txt ist leer");
    row("a value that is another sentence", "Tensor The file is empty occurs twice", "Tensor The file is empty kommt zweimal vor");
    row("a quoted sentence", "The GPU cannot be used: it lacks timeline semaphores",
        "Die GPU kann nicht benutzt werden: ihr fehlen Timeline-Semaphoren");
    row("a quoted text of another", "The folder cannot be read: Permission denied",
        "Der Ordner kann nicht gelesen werden: Permission denied");
    row("quoted sentences", "What would fit: keys and values as Q8_0 (1.2 GiB); a context of 2048 (980 MiB)",
        "Das würde passen: Schlüssel und Werte als Q8_0 (1.2 GiB); ein Kontext von 2048 (980 MiB)");
    row("unknown", "The moon is in the way", "The moon is in the way");
    row("a text of the window", "Save", "Save");
    row("empty", "", "");
  }
  void translatesSentences() {
    QFETCH(QString, english);
    QFETCH(QString, german);
    QCOMPARE(shownSentence(english.toStdString()), german);
  }

  // What is expected and found has its own patterns: "%1 free" is no sentence.
  void translatesFigures() {
    QCOMPARE(shownFigure("at most 8.0 GiB free"), QStringLiteral("höchstens 8.0 GiB frei"));
    QCOMPARE(shownFigure("9.1 GiB needed: weights 8.5 GiB, state of the conversations 512 MiB, scratch 64 MiB, the draft model included"),
             QStringLiteral(
                 "9.1 GiB nötig: Gewichte 8.5 GiB, Zustand der Gespräche 512 MiB, Zwischenergebnisse 64 MiB, mit dem Entwurfsmodell"));
    QCOMPARE(shownFigure("4096"), QStringLiteral("4096"));
    QCOMPARE(shownSentence("8.0 GiB free"), QStringLiteral("8.0 GiB free"));
  }

  // Every pattern is recognized by a text made from it, and not taken for another.
  void knowsEachPatternAgain_data() {
    QTest::addColumn<QStringList>("values");
    QTest::newRow("words") << QStringList{"alpha", "beta", "gamma", "delta", "epsilon"};
    QTest::newRow("figures") << QStringList{"1", "22", "333", "4444", "55555"};
    QTest::newRow("paths") << QStringList{"/home/me/A b.gguf", "blk.0.attn_q", "\"x\"", "C:\\m", "é"};
  }
  void knowsEachPatternAgain() {
    QFETCH(QStringList, values);
    const auto check = [&](const char* context, std::span<const char* const> patterns, QString (*translate)(const std::string&)) {
      for (const char* pattern : patterns) {
        const QString words = QString::fromUtf8(german(context, pattern));
        QVERIFY2(!words.isEmpty(), pattern);
        QCOMPARE(translate(with(QString::fromUtf8(pattern), values).toStdString()), with(words, values));
      }
    };
    check("Errors", errorPatterns, shownSentence);
    check("Figures", figurePatterns, shownFigure);
  }

  void leavesEnglishAsItIs() {
    useLanguage(QStringLiteral("en"));
    const QStringList values{"alpha", "beta", "gamma", "delta", "epsilon"};
    for (const char* pattern : errorPatterns) {
      const QString english = with(QString::fromUtf8(pattern), values);
      QCOMPARE(shownSentence(english.toStdString()), english);
    }
    QCOMPARE(shownSentence("The file is empty"), QStringLiteral("The file is empty"));
  }

  void wordsAllParts() {
    const minerva::Error error{.kind = ErrorKind::corrupt,
                               .what = "Tensor x reaches past the end of the file",
                               .where = "/models/a.gguf",
                               .expected = "64 bytes at offset 32 of the data",
                               .actual = "48 bytes of data",
                               .hint = "The file is damaged or its download incomplete; download it again."};
    QCOMPARE(shownMessage(error),
             QStringLiteral("Tensor x reicht über das Ende der Datei hinaus (/models/a.gguf): erwartet 64 Bytes ab Position 32 der "
                            "Daten, gefunden 48 Bytes Daten. Die Datei ist beschädigt oder nicht vollständig heruntergeladen; "
                            "laden Sie sie noch einmal herunter."));
    const ErrorInfo info = ErrorInfo::from(error, QStringLiteral("Kopfzeile"));
    QCOMPARE(info.detail,
             QStringLiteral("Tensor x reicht über das Ende der Datei hinaus: erwartet 64 Bytes ab Position 32 der Daten, gefunden 48 "
                            "Bytes Daten"));
    QCOMPARE(info.hint,
             QStringLiteral("Die Datei ist beschädigt oder nicht vollständig heruntergeladen; laden Sie sie noch einmal herunter."));
    QCOMPARE(info.kind, QStringLiteral("corrupt"));  // for the program
    QVERIFY2(info.details.endsWith(QStringLiteral("\nArt: beschädigt")), qPrintable(info.details));
    QCOMPARE(QString::fromStdString(error.message()).left(41), QStringLiteral("Tensor x reaches past the end of the file"));
  }

  // Sentences begin with a capital in the window, in either language.
  void beginsWithACapital() {
    const ErrorInfo info =
        ErrorInfo::from({.kind = ErrorKind::notFound, .what = "no model is loaded", .hint = "load a model and try again"}, "x");
    QCOMPARE(info.detail, QStringLiteral("Es ist kein Modell geladen"));
    QCOMPARE(info.hint, QStringLiteral("Laden Sie ein Modell und versuchen Sie es noch einmal"));
  }

  // Errors as the engine makes them from files.
  void wordsErrorsOfFiles_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("what");
    const auto row = [](const char* name, const QByteArray& content, const char* file, const char* what) {
      QTest::newRow(name) << content << QString::fromUtf8(file) << QString::fromUtf8(what);
    };
    row("empty", {}, "a.gguf", "Die Datei ist leer");
    row("a web page", "<!DOCTYPE html><html>", "a.gguf", "Das ist eine Webseite, kein Modell: Der Download ist misslungen");
    row("cut off", QByteArray::fromHex("4747554603000000") + QByteArray(4, '\1'), "a.gguf", "Die Datei endet mitten im Kopf");
    row("an old version", QByteArray::fromHex("474755460100000000000000000000000000000000000000"), "a.gguf",
        "Diese GGUF-Datei hat Version 1, deren Anordnung 2023 aufgegeben wurde");
    row(
        "a tensor twice",
        [] {
          const QByteArray header =
              R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
          const quint64 size = static_cast<quint64>(header.size());
          return QByteArray(reinterpret_cast<const char*>(&size), 8) + header + QByteArray(4, '\0');
        }(),
        "model.safetensors", "Der Name „a“ kommt in einem JSON-Objekt zweimal vor");
  }
  void wordsErrorsOfFiles() {
    QFETCH(QByteArray, content);
    QFETCH(QString, name);
    QFETCH(QString, what);
    const QTemporaryDir folder;
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    const auto opened = minerva::format::ModelFile::open(file.fileName().toStdString());
    QVERIFY(!opened);
    QCOMPARE(shownSentence(opened.error().what), what);
    if (!opened.error().hint.empty())
      QVERIFY2(shownSentence(opened.error().hint) != QString::fromStdString(opened.error().hint), opened.error().hint.c_str());
  }
};

APP_TEST(TestErrorWords, "error_words", QCoreApplication)
#include "tst_error_words.moc"
