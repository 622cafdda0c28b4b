// What the worker does about GPUs that stop answering: the driver was reset, or the device is gone.
#include "app/inference/engine_worker.h"

#include <algorithm>
#include <utility>

namespace minerva::app {

void EngineWorker::take(Resident& resident, const engine::Event& event) {
  if (const auto* failed = std::get_if<engine::Failed>(&event.body); failed != nullptr && losesDevice(failed->error.kind)) {
    if (!resident.lost) resident.lost = failed->error;
    engine::Event told = event;
    std::get<engine::Failed>(told.body).error.hint = afterLoss(resident);
    return pass(resident, told);
  }
  pass(resident, event);
}

// If the model did not survive the system's sleep, the request that comes next waits until it is loaded again.
void EngineWorker::noticeSleep() {
  if (!m_present || m_present->lost) return;
  const auto kept = m_present->loaded.on.backend->checkMemory();
  if (kept) return;
  m_present->lost = kept.error();
  dropLost();
}

// Models whose device was lost. The present one is to be loaded again; until that is ordered, requests wait as during a load.
void EngineWorker::dropLost() {
  std::erase_if(m_kept, [this](std::unique_ptr<Resident>& kept) {
    const bool lost = kept->lost.has_value();
    if (lost) drop(std::move(kept));
    return lost;
  });
  tellKept();
  if (!m_present || !m_present->lost) return;
  const minerva::Error error = *m_present->lost;
  m_losses.note(m_present->target.path.toStdString(), error);
  m_loading = true;
  dropPresent();
  Q_EMIT deviceLost(error);
}

// Whether a model that is ordered must stay away from its GPU. If so, the order after this one may try it again.
QString EngineWorker::whyCpu(const QString& path) { return QString::fromStdString(m_losses.whyCpu(path.toStdString())); }

// What to do about a reply that ended with the device of its model.
std::string EngineWorker::afterLoss(const Resident& resident) const {
  if (&resident != m_present.get()) return "Choose the model again: it will be loaded on a new device.";
  const bool again = m_losses.tolerates(resident.target.path.toStdString(), *resident.lost);
  return again
             ? "The model is being loaded again; then let it continue the reply, or try again."
             : "This happened for the second time, so the model is being loaded on the CPU; then let it continue the reply, or try again.";
}

}  // namespace minerva::app
