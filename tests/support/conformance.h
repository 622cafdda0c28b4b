// Runs the same plan and the same steps on a backend and on the reference, and says how far apart the logits are.
#pragma once

#include "core/backend/backend.h"
#include "core/model/plan.h"
#include "gpu/available.h"
#include "tests/support/random.h"

#include <optional>
#include <string>
#include <vector>

namespace minerva::tests {

// One thing done to a placement.
struct Action {
  std::vector<backend::StepRow> rows;              // a step, when not empty
  int copyFrom = -1, copyTo = -1, copyLength = 0;  // else copySlot
};
using Script = std::vector<Action>;

// Prompts in chunks of these sizes (the last one repeats until the prompt is done), logits of every row.
[[nodiscard]] Script prefillScript(Random& random, int vocabulary, int length, const std::vector<int>& chunks);
// What a scheduler does with several conversations: prefills, decode steps of several slots at once, a rewind, a copy.
[[nodiscard]] Script conversationScript(Random& random, int vocabulary, int context, int slots);

struct Difference {
  double largest = 0;    // of any logit of any step
  double rms = 0;        // over all logits
  double deviation = 0;  // standard deviation of the reference's logits
  std::size_t compared = 0;
  std::string where;  // step, row and token of the largest
};

// Placing or running fails: the error. A NaN counts as an infinite difference.
[[nodiscard]] Result<Difference> compareWithReference(backend::Backend& device, const model::Plan& plan,
                                                      const backend::PlaceOptions& options, const Script& script);

// What a difference may be at most, as a share of the logits' deviation (design.md part 5 has 1e-3 for a deviation of 3).
struct Tolerance {
  double largest, rms;
};
[[nodiscard]] Tolerance toleranceOf(backend::Precision precision, ElementType type);

// Empty when within tolerance; else the figures, for a failure message.
[[nodiscard]] std::string judge(const Difference& difference, const Tolerance& tolerance);

// A device with everything forced that can be forced: each instruction set this processor can run, each GPU.
struct BackendUnderTest {
  std::string name;  // "cpu_avx2", "vulkan_0": letters, digits and _ only
  std::string device;
  BackendOptions options;
};
[[nodiscard]] const std::vector<BackendUnderTest>& backendsUnderTest();
inline std::ostream& operator<<(std::ostream& out, const BackendUnderTest& backend) { return out << backend.name; }

// What a driver's validation layer said about this backend; empty where there is none.
[[nodiscard]] std::vector<std::string> validationMessages(const backend::Backend& backend);

// Largest number of rows a step of the script has, and of rows that want logits.
[[nodiscard]] backend::PlaceOptions optionsFor(const Script& script, int context, int slots, backend::Precision precision);

}  // namespace minerva::tests
