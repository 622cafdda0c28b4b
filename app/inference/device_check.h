// The devices of this machine as they are now, and the test of one: does it compute what the reference computes, and how
// fast does it read its memory. GUI thread only; the work is done on a thread of its own, one thing at a time.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "gpu/available.h"

#include <QObject>
#include <QHash>
#include <QStringList>
#include <QThreadPool>
#include <QVariantList>
#include <qqmlregistration.h>

#include <functional>

namespace minerva::app {

class DeviceCheck : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  // [{id, key (what settings.device holds: the UUID, else the id), name, kind, driver, uuid, software, threads, memoryTotal,
  // memoryFree (bytes; 0: the driver does not say), tested, right, verdict, bandwidth (bytes/s from memory; NaN: not measured),
  // bandwidths [{bytes, speed}] (by how much is read again and again), bandwidthTime}]
  Q_PROPERTY(QVariantList devices READ devices NOTIFY changed)
  Q_PROPERTY(QStringList notes READ notes NOTIFY changed)  // why something is missing
  Q_PROPERTY(QString testing READ testing NOTIFY changed)  // the device that is tested; "": none
 public:
  // builtIn: the model that is tested with. bandwidths: outlives this object.
  DeviceCheck(BackendOptions options, const QString& builtIn, BandwidthBook* bandwidths, QObject* parent = nullptr);
  ~DeviceCheck() override;  // waits for what runs

  [[nodiscard]] QVariantList devices() const;
  [[nodiscard]] QStringList notes() const;
  [[nodiscard]] QString testing() const { return m_testing; }

  Q_INVOKABLE void refresh();                // asks for the devices and their memory again
  Q_INVOKABLE void test(const QString& id);  // one of devices; nothing happens while one is tested
  void setDevices(const minerva::AvailableDevices& devices);

 Q_SIGNALS:
  void changed();

 private:
  struct Verdict {
    bool right = false;
    QString words;
    QString bandwidthKey;
    backend::BandwidthCurve bandwidth;
  };
  [[nodiscard]] static Verdict examine(const QString& id, const BackendOptions& options, const QString& builtIn);
  void later(std::function<void()> work);  // on the other thread
  BackendOptions m_options;
  QString m_builtIn, m_testing;
  AvailableDevices m_devices;
  QHash<QString, Verdict> m_verdicts;  // by id
  BandwidthBook* m_bandwidths;
  QThreadPool m_thread;
  bool m_refreshing = false;
};

}  // namespace minerva::app
