// Loads a model into an engine: selects and opens the device and places the model on it. A device that is lost meanwhile is opened once
// more. Safe on any thread.
#pragma once

#include "app/inference/load_preferences.h"
#include "app/inference/model_facts.h"
#include "core/engine/engine.h"
#include "gpu/available.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace minerva::app {

// The model to load, and how.
struct LoadTarget {
  QString path;
  LoadPreferences preferences;
  bool evenIfTooLarge = false;  // load even if it does not fit; CPU only, because the OS can swap
  QString draft = {};           // path of the draft model; "": none

  [[nodiscard]] bool isSet() const { return !path.isEmpty(); }
  friend bool operator==(const LoadTarget&, const LoadTarget&) = default;
};

struct LoadOrder {
  quint64 serial = 0;
  LoadTarget target;
  QString name;          // display name; empty: as in the file
  bool builtIn = false;  // the model that comes with Minerva
  std::stop_token stop;
  QString whyCpu = {};  // why the CPU is to be used whatever the preferences say; "": it is not
};

// An open device and the options it was opened with. Reused if the next model requests the same ones.
struct OpenDevice {
  std::unique_ptr<backend::Backend> backend;
  QString device;  // as requested
  BackendOptions options;
};

struct LoadedEngine {
  OpenDevice on;
  std::unique_ptr<engine::Engine> engine;  // must be destroyed before its device
  QString whyNot;                          // why the requested device is not used; empty if it is
  std::optional<minerva::Error> error;     // if set, engine is null
  bool neverFits = false;                  // out of memory on every device, even if the models beside it were unloaded
};

// The models that stay loaded during a load. Their GPU memory counts against the user's GPU memory limit. With any of them, running out of
// memory on the requested device is returned as an error without trying other devices, because unloading one may be enough.
struct Beside {
  int models = 0;
  quint64 gpuBytes = 0;
  quint64 heldBytes = 0;  // on all devices
};

// spare: an open, unused device.
[[nodiscard]] LoadedEngine loadModel(const LoadOrder& order, const BackendOptions& options, OpenDevice spare, const Beside& beside,
                                     const std::function<void(const engine::LoadProgress&)>& progress);

}  // namespace minerva::app
