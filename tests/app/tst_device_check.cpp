// The list of devices: what is told of them, and what a test of one finds.
#include "app/inference/bandwidth_book.h"
#include "app/inference/device_check.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"

#include <QTest>

#include <cmath>

using namespace minerva::app;

class DeviceCheckTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aDeviceIsListedWithItsMemoryAndTested() {
    BandwidthBook bandwidths;
    DeviceCheck check({}, builtIn, &bandwidths);
    check.refresh();
    QTRY_VERIFY(!check.devices().isEmpty());
    const auto cpu = [&] {
      for (const QVariant& device : check.devices())
        if (device.toMap()[QStringLiteral("id")] == QStringLiteral("cpu")) return device.toMap();
      return QVariantMap();
    };
    QCOMPARE(cpu()[QStringLiteral("key")].toString(), QStringLiteral("cpu"));
    QVERIFY(cpu()[QStringLiteral("memoryFree")].toDouble() > 1e8);
    QVERIFY(cpu()[QStringLiteral("memoryFree")].toDouble() <= cpu()[QStringLiteral("memoryTotal")].toDouble());
    QVERIFY(!cpu()[QStringLiteral("tested")].toBool());
    check.test(QStringLiteral("cpu"));
    QCOMPARE(check.testing(), QStringLiteral("cpu"));
    QTRY_VERIFY(check.testing().isEmpty());
    QVERIFY2(cpu()[QStringLiteral("right")].toBool(), qPrintable(cpu()[QStringLiteral("verdict")].toString()));
    QVERIFY(cpu()[QStringLiteral("bandwidth")].toDouble() > 1e8);
    QVERIFY(cpu()[QStringLiteral("bandwidths")].toList().size() > 4);
    QVERIFY(cpu()[QStringLiteral("bandwidthTime")].toDateTime().secsTo(QDateTime::currentDateTime()) < 60);
  }

  // While a reply ran, however briefly, the bandwidth may have been too low, and it would be kept.
  void aDeviceTestedDuringOtherWorkHasNoBandwidth() {
    BandwidthBook bandwidths;
    DeviceCheck check({}, builtIn, &bandwidths);
    minerva::AvailableDevices found;
    found.devices.push_back((*minerva::createBackend("cpu", {}))->info());
    check.setDevices(found);
    check.test(QStringLiteral("cpu"));
    check.setBusyElsewhere(true);
    check.setBusyElsewhere(false);
    QTRY_VERIFY(check.testing().isEmpty());
    const QVariantMap cpu = check.devices()[0].toMap();
    QVERIFY2(cpu[QStringLiteral("right")].toBool(), qPrintable(cpu[QStringLiteral("verdict")].toString()));
    QVERIFY(std::isnan(cpu[QStringLiteral("bandwidth")].toDouble()));
    check.setBusyElsewhere(true);  // as if a reply ran when the test began
    check.test(QStringLiteral("cpu"));
    check.setBusyElsewhere(false);
    QTRY_VERIFY(check.testing().isEmpty());
    QVERIFY(std::isnan(check.devices()[0].toMap()[QStringLiteral("bandwidth")].toDouble()));
  }

  // A driver may list a device twice; the selected device is remembered by its UUID.
  void aDeviceIsKnownByItsUuidAndListedOnce() {
    BandwidthBook bandwidths;
    DeviceCheck check({}, builtIn, &bandwidths);
    minerva::AvailableDevices found;
    for (const char* id : {"vulkan:0", "vulkan:1"}) {
      minerva::backend::DeviceInfo gpu;
      gpu.id = id;
      gpu.kind = "Vulkan";
      gpu.name = "Card";
      gpu.uuid = "00112233445566778899aabbccddeeff";
      found.devices.push_back(gpu);
    }
    check.setDevices(found);
    QCOMPARE(check.devices().size(), 1);
    QCOMPARE(check.devices()[0].toMap()[QStringLiteral("key")].toString(), QStringLiteral("00112233445566778899aabbccddeeff"));
    // A device that cannot be opened reports the error.
    check.test(QStringLiteral("vulkan:77"));
    QTRY_VERIFY(check.testing().isEmpty());
    QCOMPARE(check.devices()[0].toMap()[QStringLiteral("tested")].toBool(), false);
    found.devices.front().id = "vulkan:77";
    check.setDevices(found);
    QCOMPARE(check.devices()[0].toMap()[QStringLiteral("tested")].toBool(), true);
    QCOMPARE(check.devices()[0].toMap()[QStringLiteral("right")].toBool(), false);
    QVERIFY(!check.devices()[0].toMap()[QStringLiteral("verdict")].toString().isEmpty());
  }
};

APP_TEST(DeviceCheckTest, "device_check", QCoreApplication)
#include "tst_device_check.moc"
