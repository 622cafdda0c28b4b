// How a model is placed for what a load asks (loader.h).
#include "core/backend/kv_pages.h"
#include "core/engine/checkpoint_positions.h"
#include "core/engine/loader.h"

#include <algorithm>
#include <limits>

namespace minerva::engine {
namespace {

constexpr int outputRows = 32;  // maximum rows with logits per step, for tools that want logits at every position

// As many as there are positions for them in full slots with some messages each, but in at most an eighth of the memory of the weights.
// Those of windows alone, which a longer context saves, take at most a fourth of what the slots take. REQUIRES options without checkpoints.
int checkpointsFor(const model::Plan& plan, const backend::PlaceOptions& options) {
  constexpr std::uint64_t messages = 16, least = 4, shareOfWeights = 8, shareOfSlots = 4;
  const std::uint64_t state = backend::checkpointBytes(plan, options);
  if (state == 0) return 0;
  std::uint64_t weights = 0;
  for (const model::Weight& weight : plan.weights) weights += storedBytes(weight.view);
  const std::uint64_t useful = static_cast<std::uint64_t>(options.slots) *
                               (static_cast<std::uint64_t>(options.contextLength / CheckpointPositions::every) + messages);
  const std::uint64_t slots = backend::stateBytes(plan, options) / shareOfSlots;
  const std::uint64_t room = plan.recurrent.empty() ? std::min(slots, weights / shareOfWeights) : weights / shareOfWeights;
  const std::uint64_t count = std::min(useful, std::max(least, room / state));
  return static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
}

}  // namespace

backend::PlaceOptions placeOptionsFor(const LoadOptions& options, const model::Plan& plan) {
  const int wanted = options.contextLength > 0 ? options.contextLength : model::usualContext;
  const int context = std::min(wanted, plan.contextLength);
  const int rows = std::max(options.sequences, std::min(options.chunk, context));
  backend::PlaceOptions placed{.contextLength = context,
                               .slots = options.sequences,
                               .contexts = options.contexts,
                               .maxRows = rows,
                               .maxOutputRows = std::min(rows, std::max(outputRows, options.sequences)),
                               .precision = options.precision,
                               .kvType = options.kvType,
                               .evenIfTooLarge = options.evenIfTooLarge,
                               .compileAhead = true,
                               .alike = options.batchInvariant ? backend::Alike::always
                                        : options.drafts       ? backend::Alike::apart
                                                               : backend::Alike::never};
  placed.checkpoints = checkpointsFor(plan, placed);
  placed.checkpoints += draftCheckpoints(options.drafts, placed, plan);
  return placed;
}

int draftCheckpoints(bool drafts, const backend::PlaceOptions& placed, const model::Plan& plan) {
  return drafts && !plan.recurrent.empty() ? placed.slots : 0;
}

std::uint64_t stateBytesFor(const LoadOptions& options, const model::Plan& plan) {
  return backend::stateBytes(plan, placeOptionsFor(options, plan));
}

}  // namespace minerva::engine
