// Value types for the window that describe the loaded model and its device.
#pragma once

#include "core/model/state_reads.h"
#include "core/text/reasoning_controls.h"

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVariantList>
#include <qqmlregistration.h>

namespace minerva::app {

// QML value type `modelFacts`. Everything is 0 or empty while no model is loaded.
struct ModelFacts {
  Q_GADGET
  QML_VALUE_TYPE(modelFacts)
  Q_PROPERTY(bool isSet READ isSet)
  Q_PROPERTY(QString name MEMBER name)      // "TinyLlama 1.1B Chat"
  Q_PROPERTY(QString family MEMBER family)  // "llama"
  Q_PROPERTY(QString format MEMBER format)  // "GGUF", "SafeTensors", "MLX"
  Q_PROPERTY(QString type MEMBER type)      // "Q4_K"
  Q_PROPERTY(QString path MEMBER path)
  Q_PROPERTY(double parameters MEMBER parameters)
  Q_PROPERTY(int modelContext MEMBER modelContext)    // the model's maximum, tokens
  Q_PROPERTY(int contextLength MEMBER contextLength)  // in use, tokens
  Q_PROPERTY(double loadMs MEMBER loadMs)
  Q_PROPERTY(QStringList warnings MEMBER warnings)  // shown to the user; they do not prevent use
  Q_PROPERTY(bool builtIn MEMBER builtIn)
  Q_PROPERTY(QString server MEMBER server)  // name of the server that runs it; empty: this program does

 public:
  QString name, family, format, type, path, server;
  double parameters = 0, loadMs = 0;
  int modelContext = 0, contextLength = 0;
  QStringList warnings;
  bool builtIn = false;

  // Not exposed to QML.
  double bitsPerWeight = 0;
  // Figures for the panel, in bytes.
  double weightBytesPerToken = 0, stateBytesPerPosition = 0;  // see engine::ModelInfo
  model::StateReads stateReads;
  QString cacheType;  // of keys and values: "F16", "Q8_0", "F32"
  double weightBytes = 0, kvBytes = 0, scratchBytes = 0;
  double draftBytes = 0;  // all of the draft model; 0: none
  text::ReasoningControls reasoning;
  QStringList leftOut;   // parameters of replies that its server does not take for it
  QString ownName;       // as in the file; `name` may be longer to be unique
  double heldBytes = 0;  // the part of weights, KV cache, scratch and draft model that is allocated (not mapped) and freed on unload

  [[nodiscard]] bool isSet() const { return !path.isEmpty(); }
  friend bool operator==(const ModelFacts&, const ModelFacts&) = default;
};

// The badge that shows where the model runs. QML value type `deviceBadge`.
struct DeviceBadge {
  Q_GADGET
  QML_VALUE_TYPE(deviceBadge)
  Q_PROPERTY(bool isSet READ isSet)
  Q_PROPERTY(QString text MEMBER text)       // "CPU · AVX-512 VNNI", "Vulkan · Radeon RX 7800 XT"
  Q_PROPERTY(QString name MEMBER name)       // the device's full name
  Q_PROPERTY(QString detail MEMBER detail)   // instruction set or driver
  Q_PROPERTY(bool fallback MEMBER fallback)  // not the requested device, or no usable GPU: shown in amber
  Q_PROPERTY(QString reason MEMBER reason)   // why; empty when fallback is false
  // Of several devices that share the model, in the order in which a token goes through them; empty: one runs it. {id, name, layers,
  // experts: number of others' layers whose experts it has, bytes: that it reads per token, share: of all these bytes}
  Q_PROPERTY(QVariantList parts MEMBER parts)
  Q_PROPERTY(double handedOver MEMBER handedOver)  // bytes per token from device to device

 public:
  QString text, name, detail, reason, id, uuid;  // id and uuid: as in backend::DeviceInfo
  QVariantList parts;
  double handedOver = 0;
  QString bandwidthKey;  // key in BandwidthBook
  bool fallback = false;

  [[nodiscard]] bool isSet() const { return !text.isEmpty(); }
  friend bool operator==(const DeviceBadge&, const DeviceBadge&) = default;
};

// The model and device a reply ran on. Captured when the engine accepts the request and passed along with its updates,
// because the window may already show another model when they arrive.
struct Subject {
  ModelFacts model;
  DeviceBadge device;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::ModelFacts)
Q_DECLARE_METATYPE(minerva::app::DeviceBadge)
