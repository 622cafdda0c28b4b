// Makes a running engine of a path: chooses the device, opens it, places the model. Runs on any thread.
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

// What is to be loaded, and how.
struct LoadTarget {
  QString path;
  LoadPreferences preferences;
  bool evenIfTooLarge = false;  // on the CPU, whose memory the system can stretch

  [[nodiscard]] bool isSet() const { return !path.isEmpty(); }
};

struct LoadOrder {
  quint64 serial = 0;
  LoadTarget target;
  QString name;          // what the window calls the model; empty: as its file says
  bool builtIn = false;  // it comes with Minerva
  std::stop_token stop;
};

// An open device, with what it was opened with: it is used again where the next model asks for the same.
struct OpenDevice {
  std::unique_ptr<backend::Backend> backend;
  QString device;  // as asked for
  BackendOptions options;
};

struct LoadedEngine {
  OpenDevice on;
  std::unique_ptr<engine::Engine> engine;  // goes before the device it runs on
  QString whyNot;                          // why it is not the device that was asked for; empty: it is
  std::optional<minerva::Error> error;     // then there is no engine
};

// spare: an open device that nothing runs on. beside: a model that stays loaded meanwhile (null: none). What it holds of a
// GPU counts against the limit for that GPU, and want of memory on the first device is an error at once: it may be this
// model's memory that is missing.
[[nodiscard]] LoadedEngine loadModel(const LoadOrder& order, const BackendOptions& options, OpenDevice spare, const Subject* beside,
                                     const std::function<void(const engine::LoadProgress&)>& progress);

}  // namespace minerva::app
