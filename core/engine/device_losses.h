// What becomes of a model whose GPU stopped answering: it is loaded again there, and after a second loss on the CPU. The load after that
// may try the GPU once more. Counts the losses of the last model that lost a device. A value; one thread at a time.
#pragma once

#include "core/base/error.h"

#include <string>
#include <utility>

namespace minerva::engine {

class DeviceLosses {
 public:
  void note(const std::string& model, const Error& error) {
    if (error.kind == ErrorKind::memoryLost) return;  // the device works
    if (m_model != model) *this = {};
    m_model = model;
    ++m_count;
    m_reason = error.message();
  }
  // None of another model than the last one that lost a device.
  [[nodiscard]] int count(const std::string& model) const { return m_model == model ? m_count : 0; }
  // Whether this loss, not noted yet, leaves the model on its GPU.
  [[nodiscard]] bool tolerates(const std::string& model, const Error& error) const {
    return error.kind == ErrorKind::memoryLost || count(model) < tolerated;
  }
  // To be asked at each load: why this one must stay away from its GPU, after which the losses are forgotten; else empty.
  [[nodiscard]] std::string whyCpu(const std::string& model) {
    if (m_model != model) *this = {};
    if (m_count <= tolerated) return {};
    return "The GPU was lost twice while this model ran on it; load the model again to try it once more. " +
           std::exchange(*this, {}).m_reason;
  }

 private:
  static constexpr int tolerated = 1;
  std::string m_model, m_reason;
  int m_count = 0;
};

}  // namespace minerva::engine
