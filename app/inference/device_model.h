// List model of the machine's devices for the settings page. Row 0 is "Automatic"; where there are several
// hardware GPUs, row 1 is all of them. GUI thread only.
#pragma once

#include "gpu/available.h"

#include <QAbstractListModel>
#include <QList>
#include <QStringList>
#include <qqmlregistration.h>

namespace minerva::app {

class DeviceModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(QStringList notes READ notes NOTIFY changed)  // why a device is unavailable: "Vulkan: no loader found ..."
 public:
  enum Role {
    // deviceId: the value of settings.device: "" (automatic), "gpus" (all of them), the UUID, or the id if there is none ("cpu")
    DeviceIdRole = Qt::UserRole + 1,
    TitleRole,     // title: "Automatic", "Vulkan: Radeon RX 7800 XT"
    DetailRole,    // detail: instruction set, or driver name and version
    SoftwareRole,  // software: true for a GPU driver that runs on the CPU
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] QStringList notes() const { return m_notes; }
  Q_INVOKABLE int indexOf(const QString& deviceId) const;  // -1: not found
  void setDevices(const minerva::AvailableDevices& devices);

 Q_SIGNALS:
  void changed();

 private:
  struct Row {
    QString id, title, detail;
    bool software = false;
  };
  QList<Row> m_rows{automatic()};
  [[nodiscard]] static Row automatic();
  QStringList m_notes;
};

}  // namespace minerva::app
