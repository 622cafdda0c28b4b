#include "tests/support/conformance.h"

#include "core/backend/reference/reference_backend.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/support/matrix_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

namespace minerva::tests {
namespace {

class Comparison {
 public:
  void add(std::span<const float> truth, std::span<const float> found, const std::string& where);
  Difference finish();

 private:
  Difference m_difference;
  double m_squares = 0, m_sum = 0, m_truthSquares = 0;
};

void Comparison::add(std::span<const float> truth, std::span<const float> found, const std::string& where) {
  for (std::size_t i = 0; i < truth.size(); ++i) {
    double d = std::abs(static_cast<double>(truth[i]) - static_cast<double>(found[i]));
    if (std::isnan(d)) d = std::numeric_limits<double>::infinity();
    m_squares += d * d;
    m_sum += static_cast<double>(truth[i]);
    m_truthSquares += static_cast<double>(truth[i]) * static_cast<double>(truth[i]);
    ++m_difference.compared;
    if (d > m_difference.largest) {
      m_difference.largest = d;
      std::ostringstream text;
      text << where << ", logit " << i << ": expected " << truth[i] << ", found " << found[i];
      m_difference.where = text.str();
    }
  }
}

Difference Comparison::finish() {
  const auto n = static_cast<double>(std::max<std::size_t>(1, m_difference.compared));
  m_difference.rms = std::sqrt(m_squares / n);
  m_difference.deviation = std::sqrt(std::max(0.0, m_truthSquares / n - (m_sum / n) * (m_sum / n)));
  return m_difference;
}

Result<void> perform(backend::Placement& placement, const Action& action) {
  if (!action.rows.empty()) return placement.step(action.rows);
  if (action.saved >= 0) return placement.saveCheckpoint(action.saved, action.position, action.checkpoint);
  if (action.restored >= 0) return placement.restoreCheckpoint(action.checkpoint, action.restored);
  return placement.copySlot(action.copyFrom, action.copyTo, action.copyLength);
}

std::string stepName(std::size_t index, const Action& action, int output) {
  int seen = 0;
  for (std::size_t r = 0; r < action.rows.size(); ++r) {
    const backend::StepRow& row = action.rows[r];
    if (row.wantsLogits && seen++ == output) {
      return "step " + std::to_string(index) + " of " + std::to_string(action.rows.size()) + " rows, row " + std::to_string(r) + " (slot " +
             std::to_string(row.slot) + ", position " + std::to_string(row.position) + ")";
    }
  }
  return "step " + std::to_string(index);
}

}  // namespace

Script prefillScript(Random& random, int vocabulary, int length, const std::vector<int>& chunks) {
  Script script;
  int position = 0;
  for (std::size_t c = 0; position < length; ++c) {
    const int size = std::min(chunks[std::min(c, chunks.size() - 1)], length - position);
    Action action;
    for (int i = 0; i < size; ++i) action.rows.push_back({random.below(vocabulary), position++, 0, true});
    script.push_back(std::move(action));
  }
  return script;
}

Script conversationScript(Random& random, int vocabulary, int context, int slots) {
  Script script;
  std::vector<int> filled(static_cast<std::size_t>(slots), 0);
  const auto extend = [&](Action& action, int slot, int count, bool everyLogit) {
    int& position = filled[static_cast<std::size_t>(slot)];
    for (int i = 0; i < count && position < context; ++i) {
      action.rows.push_back({random.below(vocabulary), position++, slot, everyLogit || i + 1 == count || position == context});
    }
  };
  for (int slot = 0; slot < slots; ++slot) {  // prompts; logits of the last row only
    Action action;
    extend(action, slot, 1 + random.below(context / 2), false);
    script.push_back(std::move(action));
  }
  for (int round = 0; round < 4; ++round) {  // decode all slots at once, one of them with a chunk of a prompt
    Action action;
    for (int slot = slots - 1; slot >= 0; --slot) extend(action, slot, slot == round % slots ? 3 : 1, false);
    if (!action.rows.empty()) script.push_back(std::move(action));
  }
  filled[0] = filled[0] / 2;  // rewind, then continue with other tokens
  Action again;
  extend(again, 0, 2, true);
  script.push_back(std::move(again));
  if (slots > 1) {
    const int length = filled[0];
    script.push_back({{}, 0, slots - 1, length});
    filled[static_cast<std::size_t>(slots - 1)] = length;
    Action branch;
    extend(branch, slots - 1, 2, true);
    extend(branch, 0, 1, true);
    script.push_back(std::move(branch));
  }
  Action silent;  // a step without logits, as in the middle of a long prompt
  extend(silent, 0, 2, false);
  for (backend::StepRow& row : silent.rows) row.wantsLogits = false;
  if (!silent.rows.empty()) script.push_back(std::move(silent));
  Action last;
  extend(last, 0, 1, true);
  if (!last.rows.empty()) script.push_back(std::move(last));
  return script;
}

Script sequencesScript(Random& random, int vocabulary) {
  Script script;
  int filled[sequencesSlots] = {};
  // Rows of the slots in turn, until each has as many as it should.
  const auto step = [&](std::vector<std::pair<int, int>> counts) {
    Action action;
    for (bool more = true; more;) {
      more = false;
      for (auto& [slot, count] : counts) {
        if (count-- <= 0) continue;
        action.rows.push_back({random.below(vocabulary), filled[slot]++, slot, true});
        more = true;
      }
    }
    script.push_back(std::move(action));
  };
  const auto save = [&](int slot, int checkpoint) {
    script.push_back({.rows = {}, .saved = slot, .checkpoint = checkpoint, .position = filled[slot]});
  };
  const auto restore = [&](int checkpoint, int slot, int position) {
    script.push_back({.rows = {}, .restored = slot, .checkpoint = checkpoint});
    filled[slot] = position;
  };
  step({{0, 37}, {2, 5}});
  step({{2, 1}, {0, 1}});
  step({{1, 70}});
  save(0, 0);
  const int first = filled[0];
  step({{0, 3}, {1, 1}, {2, 18}});
  restore(0, 0, first);  // with other tokens than before
  step({{0, 4}});
  script.push_back({{}, 0, 2, filled[0]});
  filled[2] = filled[0];
  step({{2, 1}, {0, 1}});
  save(2, 1);
  const int second = filled[2];
  filled[2] = 0;
  step({{2, 9}, {1, 2}});
  restore(1, 0, second);
  filled[1] = 0;
  step({{1, 1}});
  step({{1, 1}, {0, 2}, {2, 1}});
  return script;
}

namespace {

// Whether what a device lists of a row is the best of it.
Result<void> checkTop(const backend::TopLogits& top, std::span<const float> row, const std::string& where) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [row](std::int32_t a, std::int32_t b) { return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)]; });
  const std::size_t count = top.best.size();
  bool isRight = count <= row.size() && top.largest == row[static_cast<std::size_t>(order.front())] && top.whole == (count == row.size());
  for (std::size_t i = 0; i < count && isRight; ++i)
    isRight = top.best[i].token == order[i] && top.best[i].logit == row[static_cast<std::size_t>(order[i])];
  if (isRight && count > 0 && count < row.size()) isRight = row[static_cast<std::size_t>(order[count])] < top.best.back().logit;
  if (isRight) return {};
  return fail({.kind = ErrorKind::internal,
               .what = "The best logits of a row are not the row's best",
               .where = where,
               .expected = std::to_string(row[static_cast<std::size_t>(order.front())]) + " first",
               .actual = std::to_string(count) + " listed, the largest " + std::to_string(top.largest)});
}

}  // namespace

Result<Difference> compareWithReference(backend::Backend& device, const model::Plan& plan, const backend::PlaceOptions& options,
                                        const Script& script) {
  const auto reference = backend::reference::createReferenceBackend();
  return compareDevices(device, *reference, plan, options, script);
}

Result<Difference> compareDevices(backend::Backend& device, backend::Backend& against, const model::Plan& plan,
                                  const backend::PlaceOptions& options, const Script& script) {
  MINERVA_ASSIGN(auto truth, against.place(plan, options, {}, {}));
  MINERVA_ASSIGN(auto placed, device.place(plan, options, {}, {}));
  Comparison comparison;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const Action& action = script[i];
    MINERVA_TRY(perform(*truth, action));
    MINERVA_TRY(perform(*placed, action));
    const auto outputs = static_cast<int>(std::ranges::count_if(action.rows, &backend::StepRow::wantsLogits));
    for (int k = 0; k < outputs; ++k) {
      MINERVA_ASSIGN(const std::span<const float> expected, truth->logits(k));
      MINERVA_ASSIGN(const std::span<const float> found, placed->logits(k));
      comparison.add(expected, found, stepName(i, action, k));
      const bool numbers = std::ranges::all_of(found, [](float logit) { return std::isfinite(logit); });
      if (const auto top = placed->topLogits(k); top && numbers) MINERVA_TRY(checkTop(*top, found, stepName(i, action, k)));
    }
  }
  return comparison.finish();
}

Tolerance toleranceOf(backend::Precision precision, ElementType type) {
  if (precision == backend::Precision::exact) return {1e-3 / 3.0, 5e-5};
  switch (type) {
    case ElementType::F32: return {1e-3 / 3.0, 5e-5};
    case ElementType::F16: return {2e-2 / 3.0, 2e-3};
    case ElementType::BF16: return {1e-1 / 3.0, 1e-2};
    default: return {0.2, 0.04};  // 8-bit activations; llama.cpp's difference on the oracle's quantized files is 0.07 to 0.15
  }
}

std::string judge(const Difference& difference, const Tolerance& tolerance) {
  if (difference.compared == 0) return "nothing was compared";
  if (difference.largest <= tolerance.largest * difference.deviation && difference.rms <= tolerance.rms * difference.deviation) {
    return {};
  }
  std::ostringstream text;
  text << "largest difference " << difference.largest << " (allowed " << tolerance.largest * difference.deviation << "), rms "
       << difference.rms << " (allowed " << tolerance.rms * difference.deviation << "), " << difference.where;
  return text.str();
}

namespace {

// Each test is run by its name in a process of its own (CMakeLists.txt), and what computes on a GPU says Vulkan in its name: for all others
// no driver has to be loaded.
bool mayUseGpus() {
  const std::string filter = GTEST_FLAG_GET(filter);
  return filter.find_first_of("*?:") != std::string::npos || filter.find("ulkan") != std::string::npos;
}

std::vector<BackendUnderTest> findBackends() {
  std::vector<BackendUnderTest> all;
  for (const char* set : {"baseline", "avx2", "avxvnni", "avx512", "avx512bf16", "amx"}) {
    BackendUnderTest cpu{std::string("cpu_") + set, "cpu", {}};
    cpu.options.threads = 2;
    cpu.options.instructionSet = set;
    if (createBackend(cpu.device, cpu.options)) all.push_back(std::move(cpu));
  }
  if (!mayUseGpus()) return all;
  for (const backend::DeviceInfo& device : availableDevices().devices) {
    if (device.id == "cpu" || device.id == "reference") continue;
    BackendUnderTest gpu{device.id, device.id, {}};
    gpu.options.matrixUnits = unitsUnderTest();
    gpu.options.vulkanValidation = true;  // if the layer is installed
    if (!createBackend(gpu.device, gpu.options)) gpu.options.vulkanValidation = false;
    std::ranges::replace_if(
        gpu.name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    all.push_back(std::move(gpu));
  }
  return all;
}

}  // namespace

const std::vector<BackendUnderTest>& backendsUnderTest() {
  static const std::vector<BackendUnderTest> all = findBackends();  // cached, because every test case needs it and drivers load slowly
  return all;
}

const BackendUnderTest* gpuUnderTest() {
  const auto& all = backendsUnderTest();
  const auto gpu = std::ranges::find_if(all, [](const BackendUnderTest& one) { return one.device != "cpu"; });
  return gpu == all.end() ? nullptr : &*gpu;
}

std::vector<std::string> validationMessages(const backend::Backend& backend) {
  const auto* vulkan = dynamic_cast<const gpu::VulkanBackend*>(&backend);
  return vulkan == nullptr ? std::vector<std::string>{} : vulkan->validationMessages();
}

backend::PlaceOptions optionsFor(const Script& script, int context, int slots, backend::Precision precision) {
  backend::PlaceOptions options{.contextLength = context, .slots = slots, .maxRows = 1, .maxOutputRows = 1, .precision = precision};
  for (const Action& action : script) {
    options.maxRows = std::max(options.maxRows, static_cast<int>(action.rows.size()));
    options.maxOutputRows =
        std::max(options.maxOutputRows, static_cast<int>(std::ranges::count_if(action.rows, &backend::StepRow::wantsLogits)));
    if (action.saved >= 0) options.checkpoints = std::max(options.checkpoints, action.checkpoint + 1);
  }
  return options;
}

}  // namespace minerva::tests
