// The settings table: every row is a property with limits, persistence, reset and an editor.
#include "app/settings/reply_terms.h"
#include "app/settings/settings.h"
#include "app/settings/settings_model.h"
#include "core/engine/sampling/limits.h"
#include "app_test.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace minerva::app;

namespace {

// A value of the row's type other than its default.
QVariant another(const SettingRow& row) {
  switch (row.fallback.typeId()) {
    case QMetaType::Bool: return !row.fallback.toBool();
    case QMetaType::QString: return row.fallback.toString() + QStringLiteral("x");
    case QMetaType::Int: return row.fallback.toInt() == static_cast<int>(row.to) ? static_cast<int>(row.from) : static_cast<int>(row.to);
    default: return row.fallback.toDouble() == row.to ? row.from : row.to;
  }
}

}  // namespace

class SettingsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  QString file() const { return m_folder->filePath(QStringLiteral("settings.ini")); }

  void everyRowIsAPropertyThatIsKeptAndReset() {
    for (const SettingRow& row : Settings::rows()) {
      const QVariant value = another(row);
      {
        Settings settings(file());
        QCOMPARE(settings.property(row.key), row.fallback);
        QSignalSpy changed(&settings, &Settings::changed);
        QVERIFY2(settings.setProperty(row.key, value), row.key);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(settings.property(row.key), value);
      }
      Settings again(file());
      QCOMPARE(again.property(row.key), value);
      again.reset(QString::fromLatin1(row.key));
      QCOMPARE(again.property(row.key), row.fallback);
    }
    QCOMPARE(Settings(file()).property("temperature"), QVariant(0.8));
  }

  void valuesOutsideTheirLimitsAreMoved() {
    Settings settings(file());
    settings.set_temperature(99);
    QCOMPARE(settings.temperature(), 2.0);
    settings.set_topK(-5);
    QCOMPARE(settings.topK(), 0);
    QVERIFY(!settings.setValue(QStringLiteral("temperature"), std::numeric_limits<double>::quiet_NaN()));
    QVERIFY(!settings.setValue(QStringLiteral("temperature"), QStringLiteral("warm")));
    QVERIFY(!settings.setValue(QStringLiteral("no such key"), 1));
    QCOMPARE(Settings::fitted(QStringLiteral("topK"), 1e300), QVariant(1000));
    QCOMPARE(Settings::fitted(QStringLiteral("topP"), QStringLiteral("0.5")), QVariant(0.5));
    QVERIFY(!Settings::fitted(QStringLiteral("systemPrompt"), QVariant()).isValid());
    QCOMPARE(settings.temperature(), 2.0);
  }

  // Whatever the sliders allow, the engine accepts.
  void theEngineTakesEveryValueThatCanBeSet() {
    for (const SettingRow& row : Settings::rows()) {
      if (QLatin1String(row.section) != QLatin1String("Sampling")) continue;
      for (const double value : {row.from, row.to}) {
        Settings settings(file());
        QVERIFY2(settings.setValue(QString::fromLatin1(row.key), value), row.key);
        const minerva::Result<void> taken = minerva::engine::check(replyTerms(settings).sampling);
        QVERIFY2(taken.has_value(), taken ? "" : taken.error().message().c_str());
        settings.reset(QString::fromLatin1(row.key));
      }
    }
  }

  void aBrokenFileCountsAsEmpty() {
    QFile broken(file());
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("[General]\ntemperature=warm\ntopK=99999999999\nuiScale=1e99\npanelVisible=@Invalid()\n\x00\xff[");
    broken.close();
    const Settings settings(file());
    QCOMPARE(settings.temperature(), 0.8);
    QVERIFY(settings.topK() >= 0 && settings.topK() <= 1000);
    QCOMPARE(settings.uiScale(), 2.0);
    QVERIFY(settings.panelVisible());
  }

  void theModelsRecommendationIsTheDefaultOfSampling() {
    Settings settings(file());
    QSignalSpy changed(&settings, &Settings::temperatureChanged);
    settings.set_topK(7);
    settings.set_seed(5);
    settings.setModelDefaults({{QStringLiteral("temperature"), 0.3},
                               {QStringLiteral("topK"), 20},
                               {QStringLiteral("topP"), 99.0},
                               {QStringLiteral("seed"), 9},
                               {QStringLiteral("theme"), QStringLiteral("dark")}});
    QCOMPARE(changed.count(), 1);
    QCOMPARE(settings.temperature(), 0.3);
    QVERIFY(!settings.isSet(QStringLiteral("temperature")));
    QCOMPARE(settings.topK(), 7);  // set by the user
    QCOMPARE(settings.topP(), 1.0);
    QCOMPARE(settings.minP(), 0.05);  // no recommendation, so our default
    QCOMPARE(settings.seed(), 5);
    QCOMPARE(settings.theme(), QStringLiteral("system"));
    settings.reset(QStringLiteral("topK"));
    QCOMPARE(settings.topK(), 20);
    settings.set_temperature(0.3);  // set by the user, so it stays for the next model
    settings.setModelDefaults({{QStringLiteral("temperature"), 0.7}});
    QCOMPARE(settings.temperature(), 0.3);
    QCOMPARE(settings.topK(), 40);
    QCOMPARE(Settings(file()).temperature(), 0.3);
    QCOMPARE(Settings(file()).topK(), 40);
    QVERIFY(!settings.followsModel());
    settings.resetSection(QStringLiteral("Sampling"));
    QVERIFY(settings.followsModel());
    QCOMPARE(settings.temperature(), 0.7);
    settings.set_seed(5);  // the seed does not count as a deviation from the model's settings
    QVERIFY(settings.followsModel());
  }

  void aResetCanBeUndone() {
    Settings settings(file());
    settings.set_systemPrompt(QStringLiteral("Be brief."));
    settings.set_maxTokens(64);
    settings.set_topK(7);
    settings.resetSection(QStringLiteral("Reply"));
    QCOMPARE(settings.systemPrompt(), QString());
    QCOMPARE(settings.resetTitle(), QStringLiteral("Reply"));
    settings.undoReset();
    QCOMPARE(settings.systemPrompt(), QStringLiteral("Be brief."));
    QCOMPARE(settings.maxTokens(), 64);
    QVERIFY(settings.resetTitle().isEmpty());
    QCOMPARE(Settings(file()).systemPrompt(), QStringLiteral("Be brief."));
    settings.resetRow(QStringLiteral("topK"));
    QCOMPARE(settings.resetTitle(), QStringLiteral("Top K"));
    settings.resetRow(QStringLiteral("minP"));  // not set, so nothing is lost
    QCOMPARE(settings.resetTitle(), QStringLiteral("Top K"));
    settings.undoReset();
    QCOMPARE(settings.topK(), 7);
    settings.resetSection(QStringLiteral("Reply"));
    settings.dismissUndo();
    settings.undoReset();
    QCOMPARE(settings.maxTokens(), 0);
  }

  void aRecommendationGoesThroughUnchanged() {
    minerva::engine::SamplingOptions options;
    options.temperature = 0.3F;
    options.topK = 12;
    options.topP = 0.9F;
    options.minP = 0.02F;
    options.repeatPenalty = 1.1F;
    Settings settings(file());
    settings.setModelDefaults(settingsFrom(options));
    QCOMPARE(settings.temperature(), 0.3);
    const minerva::engine::SamplingOptions asked = replyTerms(settings).sampling;
    QCOMPARE(asked.temperature, options.temperature);
    QCOMPARE(asked.topK, options.topK);
    QCOMPARE(asked.topP, options.topP);
    QCOMPARE(asked.minP, options.minP);
    QCOMPARE(asked.repeatPenalty, options.repeatPenalty);
    QCOMPARE(asked.repeatLastN, options.repeatLastN);
  }

  void theEditorListFollowsAndWrites() {
    Settings settings(file());
    SettingsModel model(&settings);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    int shown = 0;
    for (const SettingRow& row : Settings::rows()) shown += row.editor != SettingRow::Editor::Hidden ? 1 : 0;
    QCOMPARE(model.rowCount(), shown);
    QCOMPARE(model.data(model.index(0), SettingsModel::KeyRole).toString(), QStringLiteral("temperature"));
    QSignalSpy changed(&model, &SettingsModel::dataChanged);
    QVERIFY(model.setData(model.index(0), 0.5, SettingsModel::ValueRole));
    QCOMPARE(settings.temperature(), 0.5);
    QCOMPARE(changed.count(), 1);
    QVERIFY(model.data(model.index(0), SettingsModel::ModifiedRole).toBool());
    settings.reset(QStringLiteral("temperature"));
    QVERIFY(!model.data(model.index(0), SettingsModel::ModifiedRole).toBool());
  }

  void aSearchFindsSettingsByTitleNoteSectionAndChoice() {
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    SettingsModel model(&settings);
    const auto keys = [&model] {
      QStringList found;
      for (int row = 0; row < model.rowCount(); ++row) found << model.data(model.index(row), SettingsModel::KeyRole).toString();
      return found;
    };
    const QStringList all = keys();
    QVERIFY(all.size() > 10);
    model.setSearch(QStringLiteral("TEMP"));
    QCOMPARE(keys(), QStringList{QStringLiteral("temperature")});
    model.setSearch(QStringLiteral("server contacted"));  // words of a note, in any order
    QCOMPARE(keys(), QStringList{QStringLiteral("offline")});
    model.setSearch(QStringLiteral("network"));  // a section
    QCOMPARE(keys(), (QStringList{QStringLiteral("offline"), QStringLiteral("proxy"), QStringLiteral("downloadLimit")}));
    model.setSearch(QStringLiteral("dark"));  // a choice
    QCOMPARE(keys(), QStringList{QStringLiteral("theme")});
    model.setSearch(QStringLiteral("zzz"));
    QVERIFY(keys().isEmpty());
    QVERIFY(model.setData(model.index(0), 1, SettingsModel::ValueRole) == false);
    model.setSearch(QString());
    QCOMPARE(keys(), all);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

APP_TEST(SettingsTest, "settings", QCoreApplication)
#include "tst_settings.moc"
