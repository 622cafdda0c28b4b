// Default implementations for placements that cannot run parts, and whose logits are in the host's memory anyway.
#include "core/backend/backend.h"

namespace minerva::backend {
namespace {

std::unexpected<Error> noParts() {
  return fail(
      {.kind = ErrorKind::unsupported, .what = "This device cannot run a part of a model", .hint = "Place the whole model on one device"});
}

}  // namespace

Result<KernelReport> Backend::compileKernels(const model::Plan&, const PlaceOptions&) {
  return fail({.kind = ErrorKind::unsupported,
               .what = "This device has no kernels to compile",
               .where = info().id,
               .expected = "a Vulkan device",
               .actual = info().name});
}

std::optional<TopLogits> Placement::topLogits(int) { return std::nullopt; }
Result<std::vector<double>> Placement::timeStep(std::span<const StepRow>) {
  return fail({.kind = ErrorKind::unsupported,
               .what = "This device cannot time the ops of a step",
               .expected = "one GPU whose driver has timestamps",
               .actual = "no clock of its own, or a model that is shared with other devices"});
}

Result<void> Placement::begin(std::span<const StepRow>) { return noParts(); }
Result<void> Placement::runPart(std::size_t) { return noParts(); }
Result<BufferRows> Placement::rows(model::BufferId) { return noParts(); }

}  // namespace minerva::backend
