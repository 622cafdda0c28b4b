// The settings table: every row is a property with limits, persistence, reset and an editor.
#include "app/settings/settings.h"
#include "app/settings/settings_model.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace minerva::app;

namespace {

// A value of the row's type that is not its default.
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
    QCOMPARE(settings.temperature(), 2.0);
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

  void presetsNameWhatIsSet() {
    Settings settings(file());
    QCOMPARE(settings.preset(), QStringLiteral("Balanced"));
    QSignalSpy changed(&settings, &Settings::presetChanged);
    settings.applyPreset(QStringLiteral("Precise"));
    QVERIFY(changed.count() > 0);
    QCOMPARE(settings.preset(), QStringLiteral("Precise"));
    settings.set_temperature(0.33);
    QCOMPARE(settings.preset(), QStringLiteral("Custom"));
    settings.resetSection(QStringLiteral("Sampling"));
    QCOMPARE(settings.preset(), QStringLiteral("Balanced"));
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

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(SettingsTest)
#include "tst_settings.moc"
