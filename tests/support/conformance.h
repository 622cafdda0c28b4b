// Runs the same plan and steps on a backend and on the reference, and compares the logits.
#pragma once

#include "core/backend/backend.h"
#include "core/model/plan.h"
#include "gpu/available.h"
#include "tests/support/random.h"

#include <optional>
#include <string>
#include <vector>

namespace minerva::tests {

// One action on a placement.
struct Action {
  std::vector<backend::StepRow> rows;              // runs this step unless it is empty
  int copyFrom = -1, copyTo = -1, copyLength = 0;  // otherwise a copySlot with these arguments
  int saved = -1, restored = -1, checkpoint = 0;   // or, if one of them is a slot, a checkpoint saved of it or restored to it
  int position = 0;                                // of a saved one
};
using Script = std::vector<Action>;

// Prefills a prompt in chunks of these sizes (the last size repeats until the prompt is done), with logits of every row.
[[nodiscard]] Script prefillScript(Random& random, int vocabulary, int length, const std::vector<int>& chunks);
// A typical schedule for several conversations: prefills, decode steps of several slots at once, a rewind, a copy.
[[nodiscard]] Script conversationScript(Random& random, int vocabulary, int context, int slots);

struct Difference {
  double largest = 0;    // of any logit of any step
  double rms = 0;        // over all logits
  double deviation = 0;  // standard deviation of the reference's logits
  std::size_t compared = 0;
  std::string where;  // step, row and token of the largest difference
};

// Errors: those of placing or running. A NaN counts as an infinite difference.
[[nodiscard]] Result<Difference> compareDevices(backend::Backend& device, backend::Backend& truth, const model::Plan& plan,
                                                const backend::PlaceOptions& options, const Script& script);
[[nodiscard]] Result<Difference> compareWithReference(backend::Backend& device, const model::Plan& plan,
                                                      const backend::PlaceOptions& options, const Script& script);

// Largest allowed differences, relative to the standard deviation of the logits (design.md part 5 has 1e-3 for a deviation
// of 3).
struct Tolerance {
  double largest, rms;
};
[[nodiscard]] Tolerance toleranceOf(backend::Precision precision, ElementType type);

// Returns an empty string if within tolerance, else the figures for a failure message.
[[nodiscard]] std::string judge(const Difference& difference, const Tolerance& tolerance);

// A device in a fixed configuration: one for each instruction set this processor supports, and one for each GPU.
struct BackendUnderTest {
  std::string name;  // "cpu_avx2", "vulkan_0": letters, digits and _ only
  std::string device;
  BackendOptions options;
};
[[nodiscard]] const std::vector<BackendUnderTest>& backendsUnderTest();
inline std::ostream& operator<<(std::ostream& out, const BackendUnderTest& backend) { return out << backend.name; }

// Messages of the driver's validation layer about this backend; empty if there is no such layer.
// The first GPU among them; null: there is none, and a test of it is skipped.
[[nodiscard]] const BackendUnderTest* gpuUnderTest();
[[nodiscard]] std::vector<std::string> validationMessages(const backend::Backend& backend);

// Several sequences at once for models with recurrent states: rows of slots that alternate, steps of one row and of many, restarts at
// position 0, checkpoints saved and restored, copies of slots. Needs a context of sequencesContext and sequencesSlots slots.
[[nodiscard]] Script sequencesScript(Random& random, int vocabulary);
inline constexpr int sequencesContext = 100, sequencesSlots = 3;

// Sized for the steps of the script: maxRows, maxOutputRows and checkpoints are the largest it contains.
[[nodiscard]] backend::PlaceOptions optionsFor(const Script& script, int context, int slots, backend::Precision precision);

}  // namespace minerva::tests
