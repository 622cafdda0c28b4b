// Runs a request to its end on this thread.
#pragma once

#include "core/engine/engine.h"

#include <functional>
#include <string>
#include <vector>

namespace minerva::bench {

struct Reply {
  std::vector<engine::TokenId> tokens;
  std::string text;
  engine::FinishReason reason = engine::FinishReason::endOfTurn;
  engine::Timings timings;
  std::uint64_t seed = 0;
};

// shown: called with each piece of text as it becomes certain. interrupted: asked between steps; true cancels the reply.
[[nodiscard]] Result<Reply> drive(engine::Engine& engine, engine::Request request,
                                  const std::function<void(std::string_view)>& shown = {},
                                  const std::function<bool()>& interrupted = {});

}  // namespace minerva::bench
