// Presets: their contents, how they are stored, and the effects of a settings file edited by hand.
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "utf8.h"

#include <QFile>
#include <QLocale>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <limits>
#include <optional>

using namespace minerva::app;

namespace {

QString namesOf(const Presets& presets) {
  QStringList names;
  for (const QVariant& one : presets.all()) names << one.toMap()[s("name")].toString();
  return names.join(s(", "));
}

QString noteOf(const Presets& presets, const QString& id) {
  for (const QVariant& one : presets.all())
    if (one.toMap()[s("presetId")] == id) return one.toMap()[s("note")].toString();
  return s("no such preset");
}

const char* const odd = "Füchse / = [1] \"a\\b\"; %20, 日本 🦊";

}  // namespace

class PresetsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    open();
  }
  void cleanup() {
    m_presets.reset();
    m_settings.reset();
  }

  void theProgramsOwnLieOverTheSettings() {
    m_settings->set_systemPrompt(s("Be brief"));
    m_settings->set_repeatPenalty(1.2);
    m_settings->set_seed(7);
    m_settings->set_maxTokens(99);
    QCOMPARE(namesOf(*m_presets), s("As in Settings, Precise, Balanced, Creative"));
    const ReplyTerms precise = m_presets->terms(s("precise"), s("M"));
    QCOMPARE(precise.sampling.temperature, 0.2F);
    QCOMPARE(precise.sampling.topK, 40);
    QCOMPARE(precise.sampling.topP, 0.9F);
    QCOMPARE(precise.sampling.minP, 0.05F);
    QCOMPARE(precise.sampling.repeatPenalty, 1.2F);  // not set by the preset, so the value of the settings applies
    QCOMPARE(precise.sampling.seed, 7U);
    QCOMPARE(precise.maxTokens, 99);
    QCOMPARE(precise.systemPrompt, s("Be brief"));
    QCOMPARE(m_settings->temperature(), 0.8);  // the settings are not changed
    QCOMPARE(noteOf(*m_presets, s("precise")), s("temperature 0.2"));
    QCOMPARE(noteOf(*m_presets, Presets::none), s("temperature 0.8 · system prompt"));
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    const QString german = noteOf(*m_presets, s("precise"));
    QLocale::setDefault(before);
    QCOMPARE(german, s("temperature 0,2"));
  }

  void withoutAPresetTheSettingsAreNamed() {
    QCOMPARE(m_presets->name(Presets::none), s("Model default"));
    m_settings->setModelDefaults({{s("temperature"), 0.3}});
    QCOMPARE(m_presets->name(Presets::none), s("Model default"));
    QCOMPARE(m_presets->terms({}, s("M")).sampling.temperature, 0.3F);
    QSignalSpy changed(&*m_presets, &Presets::changed);
    m_settings->set_topK(3);
    QVERIFY(changed.count() > 0);
    QCOMPARE(m_presets->name(Presets::none), s("As in Settings"));
    m_settings->reset(s("topK"));
    QCOMPARE(m_presets->name(Presets::none), s("Model default"));
  }

  void theUsersHoldEverythingAndAreKept() {
    m_settings->set_systemPrompt(s("of the settings"));
    const QString id = m_presets->keep({}, s("  ") + s(odd) + s(" "),
                                       {{s("temperature"), 0.35},
                                        {s("topK"), 12},
                                        {s("topP"), 0.5},
                                        {s("minP"), 0.1},
                                        {s("repeatPenalty"), 1.25},
                                        {s("repeatLastN"), 33},
                                        {s("maxTokens"), 512},
                                        {s("systemPrompt"), s("Be a fox,\n\"quick\" & 日本 ")},
                                        {s("seed"), 5}});
    QVERIFY(!id.isEmpty());
    m_settings->set_seed(0);
    const QString empty = m_presets->keep({}, s("Empty"), {{s("systemPrompt"), QString()}});
    open();
    QCOMPARE(m_presets->name(id), s(odd));
    const ReplyTerms terms = m_presets->terms(id, s("M"));
    QCOMPARE(terms.sampling.temperature, 0.35F);
    QCOMPARE(terms.sampling.topK, 12);
    QCOMPARE(terms.sampling.topP, 0.5F);
    QCOMPARE(terms.sampling.minP, 0.1F);
    QCOMPARE(terms.sampling.repeatPenalty, 1.25F);
    QCOMPARE(terms.sampling.repeatLastN, 33);
    QCOMPARE(terms.sampling.seed, 0U);  // the seed is not part of a preset
    QCOMPARE(terms.maxTokens, 512);
    QCOMPARE(terms.systemPrompt, s("Be a fox,\n\"quick\" & 日本"));
    QCOMPARE(noteOf(*m_presets, id), s("temperature 0.35 · system prompt"));
    QCOMPARE(m_presets->terms(empty, s("M")).systemPrompt, QString());  // the preset explicitly has no system prompt
    QCOMPARE(noteOf(*m_presets, empty), s("temperature 0.8"));
    m_settings->set_temperature(1.9);  // a preset does not follow the settings
    QCOMPARE(m_presets->terms(empty, s("M")).sampling.temperature, 0.8F);
    QCOMPARE(m_presets->values(id)[s("maxTokens")], QVariant(512));
    QCOMPARE(m_presets->values(id).size(), 8);
  }

  void valuesAreMovedIntoTheSettingsLimits() {
    const QString id = m_presets->keep({}, s("x"),
                                       {{s("temperature"), 99.0},
                                        {s("topK"), -5},
                                        {s("topP"), s("many")},
                                        {s("minP"), QVariant()},
                                        {s("repeatPenalty"), std::numeric_limits<double>::quiet_NaN()},
                                        {s("repeatLastN"), 1e300},
                                        {s("theme"), s("dark")}});
    const QVariantMap values = m_presets->values(id);
    QCOMPARE(values[s("temperature")], QVariant(2.0));
    QCOMPARE(values[s("topK")], QVariant(0));
    QCOMPARE(values[s("topP")], QVariant(0.95));
    QCOMPARE(values[s("minP")], QVariant(0.05));
    QCOMPARE(values[s("repeatPenalty")], QVariant(1.0));
    QCOMPARE(values[s("repeatLastN")], QVariant(4096));
    QVERIFY(!values.contains(s("theme")));
    QCOMPARE(m_presets->fields().size(), 7);
    for (const QVariant& field : m_presets->fields()) {
      const QVariantMap one = field.toMap();
      QCOMPARE(Settings::fitted(one[s("key")].toString(), one[s("to")].toDouble() + 1).toDouble(), one[s("to")].toDouble());
    }
  }

  void namesAreChecked() {
    const QString fox = m_presets->keep({}, s("Fox"), {});
    for (const char* taken : {"fox", " FOX ", "precise", "Model default", "as in settings"}) {
      QCOMPARE(m_presets->problem(s(taken), {}), s("Another preset has this name"));
      QCOMPARE(m_presets->keep({}, s(taken), {}), QString());
    }
    QCOMPARE(m_presets->problem(s(" \n "), {}), s("A preset needs a name"));
    QCOMPARE(m_presets->problem(QString(61, u'x'), {}), s("A name can have at most 60 characters"));
    QCOMPARE(m_presets->keep({}, QString(), {}), QString());
    QCOMPARE(m_presets->problem(s("FOX"), fox), QString());              // the preset's own name
    QCOMPARE(m_presets->keep(s("precise"), s("Exact"), {}), QString());  // not a user preset
    QCOMPARE(m_presets->keep(s("nobody"), s("Exact"), {}), QString());
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative, Fox"));
  }

  void anEditedOneKeepsItsIdAndItsPlaceInTheAlphabet() {
    const QString fox = m_presets->keep({}, s("Fox"), {{s("temperature"), 0.3}, {s("topK"), 9}});
    m_presets->keep({}, s("Bear"), {});
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative, Bear, Fox"));
    QCOMPARE(m_presets->keep(fox, s("Ape"), {{s("temperature"), 0.4}}), fox);
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative, Ape, Bear"));
    QCOMPARE(m_presets->values(fox)[s("topK")], QVariant(9));  // was not passed, so it stays
    open();
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative, Ape, Bear"));
    QCOMPARE(m_presets->terms(fox, {}).sampling.temperature, 0.4F);
  }

  // Two files may have the same model name: a preset stored under the name goes to the first of them that is loaded, and
  // stays with it.
  void whatWasKeptUnderAModelsNameBecomesItsFiles() {
    m_presets->setOfModel(s("Small"), s("precise"));
    m_presets->setOfModel(s("/m/other.gguf"), s("creative"));
    m_presets->moveOfModel(s("Small"), s("/m/small.gguf"));
    m_presets->moveOfModel(s("Small"), s("/m/second.gguf"));
    open();
    QCOMPARE(m_presets->ofModel(s("/m/small.gguf")), s("precise"));
    QCOMPARE(m_presets->ofModel(s("/m/second.gguf")), QString());
    QCOMPARE(m_presets->ofModel(s("Small")), QString());
    m_presets->setOfModel(s("Other"), s("precise"));
    m_presets->moveOfModel(s("Other"), s("/m/other.gguf"));  // that file already has a preset
    QCOMPARE(m_presets->ofModel(s("/m/other.gguf")), s("creative"));
  }

  void aModelHasOneByDefault() {
    const QString fox = m_presets->keep({}, s("Fox"), {});
    m_presets->setOfModel(s(odd), fox);
    m_presets->setOfModel(s("M"), s("precise"));
    m_presets->setOfModel(s("N"), s("no such preset"));
    m_presets->setOfModel(QString(), fox);
    open();
    QCOMPARE(m_presets->ofModel(s(odd)), fox);
    QCOMPARE(m_presets->ofModel(s("M")), s("precise"));
    QCOMPARE(m_presets->ofModel(s("N")), QString());
    QCOMPARE(m_presets->ofModel(QString()), QString());
    QCOMPARE(m_presets->inForce({}, s(odd)), fox);
    QCOMPARE(m_presets->inForce(s("creative"), s(odd)), s("creative"));
    QCOMPARE(m_presets->inForce(s("long gone"), s(odd)), fox);
    QCOMPARE(m_presets->inForce(Presets::none, s(odd)), Presets::none);
    QCOMPARE(m_presets->inForce({}, s("N")), Presets::none);
    m_presets->setOfModel(s("M"), Presets::none);
    open();
    QCOMPARE(m_presets->ofModel(s("M")), QString());
    QCOMPARE(m_presets->ofModel(s(odd)), fox);
  }

  void deletingCanBeUndone() {
    const QString fox = m_presets->keep({}, s("Fox"), {{s("temperature"), 0.3}});
    m_presets->setOfModel(s("M"), fox);
    m_presets->remove(s("precise"));  // not a user preset
    m_presets->remove(fox);
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative"));
    QCOMPARE(m_presets->removedName(), s("Fox"));
    QCOMPARE(m_presets->inForce(fox, s("M")), Presets::none);
    QCOMPARE(Presets(&*m_settings).all().size(), 4);  // it is removed from the file
    m_presets->keep({}, s("Fox"), {});
    m_presets->undoRemove();
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative, Fox, Fox 2"));
    QCOMPARE(m_presets->removedName(), QString());
    open();
    QCOMPARE(m_presets->name(fox), s("Fox 2"));
    QCOMPARE(m_presets->ofModel(s("M")), fox);
    QCOMPARE(m_presets->terms(fox, {}).sampling.temperature, 0.3F);
    m_presets->remove(fox);
    m_presets->dismissUndo();
    m_presets->undoRemove();
    QCOMPARE(m_presets->removedName(), QString());
    QCOMPARE(m_presets->inForce(fox, s("M")), Presets::none);
  }

  void aFileEditedByHandLosesNoOtherPreset() {
    const QString fox = m_presets->keep({}, s("Fox"), {{s("temperature"), 0.3}});
    m_presets->setOfModel(s("M"), fox);
    m_settings->file().sync();
    QFile file(path());
    QVERIFY(file.open(QIODevice::Append));
    // A list, a missing name, built-in ids, wrong types, bytes that are not text, a comma outside quotes, a valid preset,
    // and at the end a quote that is never closed.
    file.write(
        "\n[presets]\nlist=\"[1, 2]\"\nnameless=\"{\\\"temperature\\\": 1}\"\nnone=\"{\\\"name\\\": \\\"x\\\"}\"\n"
        "precise=\"{\\\"name\\\": \\\"y\\\"}\"\nnumbers=\"{\\\"name\\\": 7}\"\nbytes=\xff\xfe\ncomma={\"name\": \"a\", \"topK\": 3}\n"
        "odd=\"{\\\"name\\\": \\\"Odd\\\", \\\"temperature\\\": \\\"warm\\\", \\\"topK\\\": 1e99, \\\"topP\\\": [1], \\\"systemPrompt\\\": {}, \\\"minP\\\": null}\"\n"
        "right=\"{\\\"name\\\": \\\"By hand\\\", \\\"temperature\\\": 0.6}\"\nzzz={\"name\": \"cut\n");
    file.close();
    m_settings->file().sync();
    open();
    QCOMPARE(namesOf(*m_presets), s("Model default, Precise, Balanced, Creative, By hand, Fox, Odd"));
    QCOMPARE(m_presets->terms(s("right"), {}).sampling.temperature, 0.6F);
    QCOMPARE(m_presets->terms(s("odd"), {}).sampling.temperature, 0.8F);
    QCOMPARE(m_presets->terms(s("odd"), {}).sampling.topK, 1000);
    QCOMPARE(m_presets->terms(s("precise"), {}).sampling.temperature, 0.2F);
    QCOMPARE(m_presets->terms(fox, {}).sampling.temperature, 0.3F);
    QCOMPARE(m_presets->ofModel(s("M")), fox);
    // Invalid entries are left in the file for the user to correct.
    QVERIFY(!m_presets->keep(fox, s("Fox"), {{s("topK"), 5}}).isEmpty());
    m_settings->file().sync();
    QVERIFY(QSettings(path(), QSettings::IniFormat).contains(s("presets/list")));
    m_settings->file().setValue(s("presetOfModel"), s("{broken"));
    open();
    QCOMPARE(m_presets->ofModel(s("M")), QString());
    QCOMPARE(m_presets->name(fox), s("Fox"));
  }

 private:
  QString path() const { return m_folder->filePath(s("settings.ini")); }
  void open() {  // restarts on the same file
    m_presets.reset();
    m_settings.reset();
    m_settings.emplace(path());
    m_presets.emplace(&*m_settings);
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::optional<Settings> m_settings;
  std::optional<Presets> m_presets;
};

APP_TEST(PresetsTest, "presets", QCoreApplication)
#include "tst_presets.moc"
