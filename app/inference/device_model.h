// The devices of this machine, for the picker in the settings. Row 0 is "automatic". GUI thread only.
#pragma once

#include "gpu/available.h"

#include <QAbstractListModel>
#include <QStringList>
#include <qqmlregistration.h>

namespace minerva::app {

class DeviceModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(QStringList notes READ notes NOTIFY changed)  // why something is missing: "Vulkan: no loader found ..."
 public:
  enum Role {
    DeviceIdRole = Qt::UserRole + 1,  // deviceId: what settings.device holds ("" automatic, "cpu", "vulkan:0")
    TitleRole,                        // title: "Automatic", "CPU", "Radeon RX 7800 XT"
    DetailRole,                       // detail: instruction set, driver, memory
    SoftwareRole,                     // software: a GPU driver that runs on the CPU
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] QStringList notes() const { return m_notes; }
  Q_INVOKABLE int indexOf(const QString& deviceId) const;  // -1: not there
  void setDevices(const minerva::AvailableDevices& devices);

 Q_SIGNALS:
  void changed();

 private:
  std::vector<backend::DeviceInfo> m_devices;
  QStringList m_notes;
};

}  // namespace minerva::app
