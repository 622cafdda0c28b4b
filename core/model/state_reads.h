// What a decode step reads of a sequence's states: keys and values as far as a window sees, recurrent states whole.
#pragma once

#include "core/model/plan.h"

#include <cstdint>
#include <vector>

namespace minerva::model {

struct StateReads {
  struct Window {
    int positions = 0;  // 0: all
    std::uint64_t bytesPerPosition = 0;
    bool operator==(const Window&) const = default;
  };
  std::vector<Window> windows;
  std::uint64_t recurrent = 0;

  // Bytes, after that many positions.
  [[nodiscard]] double bytesAt(double positions) const;
  bool operator==(const StateReads&) const = default;
};

[[nodiscard]] StateReads stateReads(const Plan& plan, KvType type);

}  // namespace minerva::model
