#include "core/speed/json.h"

namespace minerva::speed {

Json toJson(const backend::MemoryUse& memory) {
  return {{"weights", memory.weights}, {"kv", memory.kv}, {"scratch", memory.scratch}, {"total", memory.total()}};
}

void addDraft(Json& object, const engine::ModelInfo& info) {
  if (info.draftName.empty()) return;
  object["draft_model"] = info.draftName;
  object["draft_memory"] = toJson(info.draftMemory);
}

}  // namespace minerva::speed
