// Lists the devices of this machine with their current state, and tests a device: compares its results with those of the
// reference backend and measures its memory read bandwidth. GUI thread only; the work runs on one worker thread.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "gpu/available.h"

#include <QObject>
#include <QHash>
#include <QStringList>
#include <QThreadPool>
#include <QVariantList>
#include <qqmlregistration.h>

#include <atomic>
#include <functional>

namespace minerva::app {

class DeviceCheck : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  // [{id, key (the value of settings.device: the UUID, or the id if there is none), name, kind, driver, uuid, software, threads,
  // memoryTotal, memoryFree (bytes; 0: not reported by the driver), tested, right, verdict, bandwidth (bytes/s from memory;
  // NaN: not measured), bandwidths [{bytes, speed}] (by size of the working set), bandwidthTime}]
  Q_PROPERTY(QVariantList devices READ devices NOTIFY changed)
  Q_PROPERTY(bool severalGpus READ severalGpus NOTIFY changed)  // that a model can be shared between
  Q_PROPERTY(QStringList notes READ notes NOTIFY changed)       // why a device is unavailable
  Q_PROPERTY(QString testing READ testing NOTIFY changed)       // id of the device being tested; "": none
 public:
  // builtIn: path of the model used for the test. bandwidths: not owned; must outlive this object.
  DeviceCheck(BackendOptions options, const QString& builtIn, BandwidthBook* bandwidths, QObject* parent = nullptr);
  ~DeviceCheck() override;  // waits for a running test, but not for its bandwidth

  [[nodiscard]] QVariantList devices() const;
  [[nodiscard]] QStringList notes() const;
  [[nodiscard]] QString testing() const { return m_testing; }

  // A value of settings.device: "gpus", or keys or ids of devices joined with "+".
  Q_INVOKABLE bool isThere(const QString& device) const;
  [[nodiscard]] bool severalGpus() const { return hardwareGpus(m_devices).size() > 1; }
  Q_INVOKABLE void refresh();                // queries devices and free memory again
  Q_INVOKABLE void test(const QString& id);  // id of one of `devices`; ignored while a test runs
  void setDevices(const minerva::AvailableDevices& devices);
  void setBusyElsewhere(bool busy);  // another part of the program is computing: a test meanwhile measures no bandwidth

 Q_SIGNALS:
  void changed();

 private:
  struct Verdict {
    bool right = false;
    QString words;
    QString bandwidthKey;
    backend::BandwidthCurve bandwidth;
  };
  [[nodiscard]] static Verdict examine(const QString& id, const BackendOptions& options, const QString& builtIn,
                                       const backend::Backend::StopAsked& disturbed);
  void later(std::function<void()> work);  // on the worker thread
  BackendOptions m_options;
  QString m_builtIn, m_testing;
  AvailableDevices m_devices;
  QHash<QString, Verdict> m_verdicts;  // by id
  BandwidthBook* m_bandwidths;
  QThreadPool m_thread;
  bool m_refreshing = false, m_busyElsewhere = false;
  std::atomic<bool> m_disturbed{false};  // the bandwidth measured by the running test would be too low
};

}  // namespace minerva::app
