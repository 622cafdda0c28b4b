#include "core/model/state_reads.h"

#include <algorithm>

namespace minerva::model {

double StateReads::bytesAt(double positions) const {
  auto bytes = static_cast<double>(recurrent);
  for (const Window& window : windows) {
    const double seen = window.positions == 0 ? positions : std::min(positions, static_cast<double>(window.positions));
    bytes += seen * static_cast<double>(window.bytesPerPosition);
  }
  return bytes;
}

StateReads stateReads(const Plan& plan, KvType type) {
  StateReads reads{.windows = {}, .recurrent = plan.recurrentBytes()};
  for (const Op& op : plan.ops) {
    const auto* attention = std::get_if<AttentionOp>(&op);
    if (attention == nullptr) continue;
    const KvState& state = plan.kv[static_cast<std::size_t>(attention->kv)];
    auto same = std::ranges::find(reads.windows, state.window, &StateReads::Window::positions);
    if (same == reads.windows.end()) same = reads.windows.insert(same, {.positions = state.window, .bytesPerPosition = 0});
    same->bytesPerPosition += bytesPerPosition(state, type);
  }
  return reads;
}

}  // namespace minerva::model
