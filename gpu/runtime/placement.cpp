#include "gpu/runtime/placement.h"

#include "gpu/runtime/compile_ahead.h"
#include "gpu/runtime/step_values.h"
#include "gpu/runtime/support.h"
#include "gpu/runtime/trial.h"
#include "gpu/runtime/upload.h"
#include "gpu/shaders/shared/top.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace minerva::gpu {

namespace {

constexpr std::size_t keptRecordings = 32;  // LRU limit per part of the plan

bool oneSlot(std::span<const backend::StepRow> rows) {
  return std::ranges::all_of(rows, [&](const backend::StepRow& row) { return row.slot == rows.front().slot; });
}

std::uint32_t positionsOf(const backend::StepRow& row) { return std::bit_ceil(static_cast<std::uint32_t>(row.position) + 1); }

// The runs of rows of replies that attention computes alike.
std::vector<AlikeRows> runsOfReplies(std::span<const backend::StepRow> rows) {
  std::vector<AlikeRows> runs;
  for (const backend::StepRow& row : rows) {
    if (runs.empty() || runs.back().positions != positionsOf(row)) runs.push_back({0, positionsOf(row)});
    ++runs.back().rows;
  }
  return runs;
}

// The runs of rows of prompts, one for each slot.
std::vector<AlikeRows> runsOfPrompts(std::span<const backend::StepRow> rows) {
  std::vector<AlikeRows> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].slot != rows[i - 1].slot) runs.push_back({0, 1});
    ++runs.back().rows;
    runs.back().positions = positionsOf(rows[i]);
  }
  return runs;
}

}  // namespace

VulkanPlacement::VulkanPlacement(std::shared_ptr<vulkan::Device> device, std::shared_ptr<Kernels> kernels, const Tuning& tuning,
                                 const model::Plan& plan, const backend::PlaceOptions& options)
    : m_device(std::move(device)),
      m_kernels(std::move(kernels)),
      m_tuning(tuning),
      m_plan(plan),
      m_options(options),
      m_matrices(planMatrices(plan, m_device->info().largestBuffer())),
      m_slots(plan, options),
      m_sets(std::make_unique<vulkan::TexelSets>(m_device)) {}

Result<std::unique_ptr<backend::Placement>> VulkanPlacement::create(std::shared_ptr<vulkan::Device> device,
                                                                    std::shared_ptr<Kernels> kernels, const Tuning& tuning,
                                                                    const model::Plan& plan, const backend::PlaceOptions& options,
                                                                    const backend::Progress& progress, std::stop_token stop) {
  MINERVA_TRY(checkSupported(plan, options));
  std::unique_ptr<VulkanPlacement> placement(new VulkanPlacement(std::move(device), std::move(kernels), tuning, plan, options));
  MINERVA_TRY(placement->prepare(progress, std::move(stop)));
  return placement;
}

VulkanPlacement::~VulkanPlacement() {
  // On a lost device waitAll() fails, and there is nothing left to wait for.
  if (m_timeline) static_cast<void>(m_timeline->waitAll());
}

Result<void> VulkanPlacement::prepare(const backend::Progress& progress, std::stop_token stop) {
  MINERVA_ASSIGN(m_resident, allocateResident(m_device, m_plan, m_matrices, m_options));
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(m_device));
  m_timeline.emplace(std::move(timeline));
  MINERVA_ASSIGN(m_submitter, StepSubmitter::create(m_device, *m_timeline));
  MINERVA_TRY(makeHostSides());
  MINERVA_TRY(clearScratch());
  MINERVA_ASSIGN(const Ahead ahead, kernelsAhead());
  // Creating a kernel and running it for the first time count as uploading so many bytes each.
  constexpr std::uint64_t kernelBytes = 4 << 20;
  const std::uint64_t compiling = 2 * kernelBytes * ahead.kernels.size();
  std::uint64_t uploading = 0;
  const auto uploaded = [&](std::uint64_t done, std::uint64_t total) {
    uploading = total;
    progress(done, total + compiling);
  };
  const auto compiled = [&](std::size_t done) { progress(uploading + kernelBytes * done, uploading + compiling); };
  MINERVA_TRY(upload(m_device, m_plan, m_matrices, m_resident, progress ? backend::Progress(uploaded) : progress, stop));
  return compile(ahead, progress ? std::function<void(std::size_t)>(compiled) : nullptr, stop);
}

// The kernels of one-token steps and, with compileAhead, those of all other steps, so that no step waits for them.
Result<VulkanPlacement::Ahead> VulkanPlacement::kernelsAhead() {
  backend::PlaceOptions options = m_options;
  if (!options.compileAhead) options.contextLength = options.maxRows = options.maxOutputRows = 1;
  std::set<KernelKey> kernels;
  Ahead ahead;
  for (const StepShape& shape : shapesAhead(m_tuning, m_device->info().matrixUnit, m_plan, options)) {
    MINERVA_ASSIGN(const bool more, recorder().collect(shape, kernels));
    if (more) ahead.shapes.push_back(shape);
  }
  ahead.kernels.assign(kernels.begin(), kernels.end());
  return ahead;
}

// progress gets the number of kernels made, then added to it that of kernels that have run.
Result<void> VulkanPlacement::compile(const Ahead& ahead, const std::function<void(std::size_t)>& progress, const std::stop_token& stop) {
  const bool units = std::ranges::any_of(ahead.kernels, [](const KernelKey& key) { return key.name.find("_units") != std::string::npos; });
  Trial trial(m_kernels->cacheFolder(), m_device->info(), units ? TrialStage::units : TrialStage::kernels);
  const Result<void> made = compileAndRun(ahead, progress, stop);
  if (!made && units) trial.failed(made.error());  // without units there is nothing to do without
  return made;
}

Result<void> VulkanPlacement::compileAndRun(const Ahead& ahead, const std::function<void(std::size_t)>& progress,
                                            const std::stop_token& stop) {
  MINERVA_TRY(m_kernels->compile(ahead.kernels, progress, stop));
  std::set<const vulkan::Pipeline*> ran;
  for (const StepShape& shape : ahead.shapes) {
    if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
    MINERVA_ASSIGN(const vulkan::Commands commands, recorder().recordCompilation(shape, ran));
    MINERVA_TRY(m_timeline->run(commands.handle()));
    if (progress) progress(ahead.kernels.size() + ran.size());
  }
  return {};
}

// For all exchanged buffers that the host does not see, or would read slowly: of an integrated GPU of AMD it sees all memory, but what is
// the GPU's own without a cache, a few hundred MB/s.
Result<void> VulkanPlacement::makeHostSides() {
  if (m_resident.step.mapped == nullptr) {
    MINERVA_ASSIGN(vulkan::Buffer source, vulkan::Buffer::create(m_device, m_resident.stepLayout.bytes, vulkan::MemoryKind::upload));
    m_stepSource.emplace(std::move(source));
  }
  if (m_plan.result() != model::none) {
    const vulkan::BufferView& logits = m_resident.buffers[static_cast<std::size_t>(m_plan.result())];
    if (logits.mapped == nullptr || !logits.cached) {
      MINERVA_ASSIGN(vulkan::Buffer copy, vulkan::Buffer::create(m_device, logits.size, vulkan::MemoryKind::readback));
      m_logitsCopy.emplace(std::move(copy));
    }
  }
  const auto add = [this](const std::vector<model::BufferId>& buffers, bool read) -> Result<void> {
    for (const model::BufferId id : buffers) {
      const vulkan::BufferView& device = m_resident.buffers[static_cast<std::size_t>(id)];
      const bool direct = device.mapped != nullptr && (device.cached || !read);
      if (direct || m_hostRows.contains(id)) continue;
      MINERVA_ASSIGN(vulkan::Buffer host, vulkan::Buffer::create(m_device, device.size, vulkan::MemoryKind::readback));
      m_hostRows.emplace(id, std::move(host));
    }
    return {};
  };
  for (const model::PlanPart& part : m_plan.parts) {
    MINERVA_TRY(add(part.received, false));
    MINERVA_TRY(add(part.sent, true));
  }
  return {};
}

// Kernels read whole blocks of 32 columns, so the padding of each row must hold finite numbers: zero it once.
Result<void> VulkanPlacement::clearScratch() {
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
  for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
    if (m_resident.strides[i] != static_cast<std::uint32_t>(m_plan.buffers[i].columns)) commands.fill(m_resident.buffers[i], 0);
  }
  commands.fill(m_resident.normed, 0);
  MINERVA_TRY(commands.end());
  return m_timeline->run(commands.handle());
}

Recorder VulkanPlacement::recorder() {
  return Recorder({m_device, m_plan, m_matrices, m_resident, m_options, m_tuning, *m_kernels, *m_sets, m_matrixSets, m_hostRows});
}

Result<void> VulkanPlacement::run(const StepShape& shape) {
  ++m_steps;
  const auto found = m_recorded.find(shape);
  if (found != m_recorded.end() && found->second.work <= 2 * m_submitter->limit()) {
    found->second.lastUse = m_steps;
    MINERVA_TRY(m_submitter->submitKept(*found->second.commands, 0, found->second.work));
    return m_submitter->finish();
  }
  if (found != m_recorded.end()) m_recorded.erase(found);  // the device has become slow
  MINERVA_ASSIGN(Recorder::Recorded made, recorder().record(shape, stepSource(), *m_submitter));
  if (made.part > 0) {
    MINERVA_TRY(m_submitter->submit(std::move(made.commands), made.part, made.work));
    return m_submitter->finish();
  }
  if (m_recorded.size() >= keptRecordings * model::partCount(m_plan)) {
    m_recorded.erase(std::ranges::min_element(m_recorded, {}, [](const auto& r) { return r.second.lastUse; }));
  }
  const Recorded& kept = m_recorded[shape] = {std::make_unique<vulkan::Commands>(std::move(made.commands)), made.work, m_steps};
  MINERVA_TRY(m_submitter->submitKept(*kept.commands, 0, kept.work));
  return m_submitter->finish();
}

Result<void> VulkanPlacement::step(std::span<const backend::StepRow> rows) {
  MINERVA_TRY(begin(rows));
  for (std::size_t part = 0; part < model::partCount(m_plan); ++part) MINERVA_TRY(runPart(part));
  return {};
}

Result<std::vector<double>> VulkanPlacement::timeStep(std::span<const backend::StepRow> rows) {
  if (!m_plan.parts.empty() || m_device->info().timestampBits == 0) return Placement::timeStep(rows);
  MINERVA_ASSIGN(const vulkan::Timestamps clock, vulkan::Timestamps::create(m_device, static_cast<std::uint32_t>(m_plan.ops.size()) + 1));
  MINERVA_TRY(begin(rows));
  const auto run = [&]() -> Result<void> {
    MINERVA_ASSIGN(Recorder::Recorded made, recorder().record(m_shape, stepSource(), *m_submitter, &clock));
    MINERVA_TRY(m_submitter->submit(std::move(made.commands), made.part, made.work));
    return m_submitter->finish();
  };
  if (const auto ran = run(); !ran) return m_submitter->abandon(), fail(ran.error());
  return clock.milliseconds();
}

vulkan::BufferView VulkanPlacement::stepSource() const { return m_stepSource ? m_stepSource->view() : vulkan::BufferView{}; }

Result<void> VulkanPlacement::begin(std::span<const backend::StepRow> rows) {
  MINERVA_TRY(m_device->checkMemory());
  MINERVA_TRY(m_slots.check(rows));
  int furthest = 0;
  std::uint32_t outputs = 0;
  for (const backend::StepRow& row : rows) {
    furthest = std::max(furthest, row.position + 1);
    outputs += row.wantsLogits ? 1 : 0;
  }
  m_shape = {.rows = static_cast<std::uint32_t>(rows.size()),
             .outputs = outputs,
             .positions = std::bit_ceil(static_cast<std::uint32_t>(furthest)),
             .oneSlot = oneSlot(rows)};
  setAlike(rows);
  MINERVA_TRY(copyPages(m_slots.advance(rows)));
  writeStepValues(m_plan, m_resident.stepLayout, m_slots.pages(), rows,
                  m_stepSource ? m_stepSource->view().mapped : m_resident.step.mapped);
  m_logitsHere.assign(outputs, false);
  m_listed.assign(outputs, {});
  return {};
}

// Whether the step's rows are such that they can come out as in every other step, as the model was placed for.
void VulkanPlacement::setAlike(std::span<const backend::StepRow> rows) {
  const auto all = [rows](backend::RowUse use) {
    return std::ranges::all_of(rows, [use](const backend::StepRow& row) { return row.use == use; });
  };
  const bool always = m_options.alike == backend::Alike::always, few = rows.size() <= backend::mostAlike;
  const bool replies = m_options.alike != backend::Alike::never && (always || few) && all(backend::RowUse::reply);
  m_shape.prompts = always && all(backend::RowUse::prompt);
  if (m_shape.prompts) m_shape.alike = runsOfPrompts(rows);
  else if (replies && rows.size() > 1) m_shape.alike = runsOfReplies(rows);
}

Result<void> VulkanPlacement::runPart(std::size_t part) {
  StepShape shape = m_shape;
  shape.part = static_cast<std::uint32_t>(part);
  const auto ran = run(shape);
  if (!ran) m_submitter->abandon();
  MINERVA_TRY(ran);
  return m_device->checkMemory();  // the system may have slept meanwhile
}

Result<backend::BufferRows> VulkanPlacement::rows(model::BufferId buffer) {
  const auto index = static_cast<std::size_t>(buffer);
  const auto host = m_hostRows.find(buffer);
  std::byte* data = host != m_hostRows.end() ? host->second.view().mapped : m_resident.buffers[index].mapped;
  const model::Buffer& planned = m_plan.buffers[index];
  return backend::BufferRows{reinterpret_cast<float*>(data), m_resident.strides[index],
                             static_cast<int>(planned.outputRows ? m_shape.outputs : m_shape.rows), planned.columns};
}

Result<std::span<const float>> VulkanPlacement::logits(int i) {
  if (i < 0 || static_cast<std::size_t>(i) >= m_logitsHere.size()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The last step did not compute these logits",
                 .expected = "0 to " + std::to_string(static_cast<int>(m_logitsHere.size()) - 1),
                 .actual = std::to_string(i)});
  }
  const vulkan::BufferView& device = m_resident.buffers[static_cast<std::size_t>(m_plan.result())];
  const std::uint64_t rowBytes = std::uint64_t{strideOf(m_plan.resultColumns())} * 4;
  const std::uint64_t at = rowBytes * static_cast<std::uint64_t>(i);
  if (!m_logitsHere[static_cast<std::size_t>(i)]) {
    if (m_logitsCopy) {
      MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
      commands.copy(device.part(at, rowBytes), m_logitsCopy->view().part(at, rowBytes), rowBytes);
      commands.barrierToHost();
      MINERVA_TRY(commands.end());
      MINERVA_TRY(m_timeline->run(commands.handle()));
    }
    m_device->traffic().bytesRead += rowBytes;
    m_logitsHere[static_cast<std::size_t>(i)] = true;
  }
  const std::byte* from = m_logitsCopy ? m_logitsCopy->view().mapped : device.mapped;
  return std::span(reinterpret_cast<const float*>(from + at), static_cast<std::size_t>(m_plan.resultColumns()));
}

// Every step writes the lists again, and the host has waited for it.
std::optional<backend::TopLogits> VulkanPlacement::topLogits(int i) {
  using Entry = backend::TopLogits::Entry;
  const auto at = static_cast<std::size_t>(i);
  if (i < 0 || at >= m_listed.size() || m_listed.size() > listedRows(m_plan, m_options)) return std::nullopt;
  constexpr std::size_t headerBytes = std::size_t{8} * choice::topHeader;
  const std::byte* from = m_resident.lists.mapped + at * (headerBytes + sizeof(Entry) * choice::topMost);
  std::uint32_t count = 0;
  float largest = 0, sum = 0;
  std::memcpy(&count, from, 4);
  std::memcpy(&largest, from + 4, 4);
  std::memcpy(&sum, from + 8, 4);
  std::vector<Entry>& listed = m_listed[at];
  if (listed.empty() && count > 0) {
    listed.resize(std::min<std::size_t>(count, choice::topMost));
    std::memcpy(listed.data(), from + headerBytes, listed.size() * sizeof(Entry));
    std::ranges::sort(listed, [](const Entry& a, const Entry& b) { return a.logit != b.logit ? a.logit > b.logit : a.token < b.token; });
    m_device->traffic().bytesRead += headerBytes + listed.size() * sizeof(Entry);
  }
  const bool whole = listed.size() == static_cast<std::size_t>(m_plan.resultColumns());
  return backend::TopLogits{.best = listed, .largest = largest, .whole = whole, .sum = static_cast<double>(sum)};
}

Result<void> VulkanPlacement::copySlot(int from, int to, int length) {
  MINERVA_TRY(m_slots.checkCopy(from, to, length));
  if (from != to) MINERVA_TRY(copyStates(from, to));
  m_slots.copy(from, to, length);
  return {};
}

backend::MemoryUse VulkanPlacement::memory() const {
  backend::MemoryUse use = m_resident.use;
  for (std::size_t i = 0; i < m_plan.kv.size(); ++i) {
    const auto [keys, values] = pageBytes(m_plan.kv[i], m_resident, i);
    use.kvHeld += static_cast<std::uint64_t>(m_slots.pages().used(m_resident.kvGroups[i])) * (keys + values);
  }
  for (const vulkan::BufferView& state : m_resident.recurrent) use.kvHeld += state.size;
  return use;
}

Result<void> VulkanPlacement::copyPages(const std::vector<backend::PageCopy>& copies) {
  if (copies.empty()) return {};
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
  for (const backend::PageCopy& copy : copies) {
    commands.barrier();  // a page may be the target of one copy and the source of the next
    for (std::size_t i = 0; i < m_plan.kv.size(); ++i) {
      if (m_resident.kvGroups[i] != copy.group) continue;
      const auto [keys, values] = pageBytes(m_plan.kv[i], m_resident, i);
      const auto copyOne = [&](const vulkan::BufferView& cache, std::uint64_t bytes) {
        commands.copy(cache.part(bytes * static_cast<std::uint64_t>(copy.from), bytes),
                      cache.part(bytes * static_cast<std::uint64_t>(copy.to), bytes), bytes);
      };
      copyOne(m_resident.keys[i], keys);
      if (values > 0) copyOne(m_resident.values[i], values);
    }
  }
  MINERVA_TRY(commands.end());
  return m_timeline->run(commands.handle());
}

// Copies all recurrent states from one place to another: a slot, or a checkpoint behind the slots.
Result<void> VulkanPlacement::copyStates(int from, int to) {
  if (m_plan.recurrent.empty()) return {};
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
  for (std::size_t i = 0; i < m_plan.recurrent.size(); ++i) {
    const std::uint64_t bytes = stateBytes(m_plan.recurrent[i]);
    const vulkan::BufferView& all = m_resident.recurrent[i];
    commands.copy(all.part(bytes * static_cast<std::uint64_t>(from), bytes), all.part(bytes * static_cast<std::uint64_t>(to), bytes),
                  bytes);
  }
  MINERVA_TRY(commands.end());
  return m_timeline->run(commands.handle());
}

Result<void> VulkanPlacement::saveCheckpoint(int slot, int position, int checkpoint) {
  MINERVA_TRY(m_slots.checkSave(slot, position, checkpoint));
  MINERVA_TRY(copyStates(slot, m_options.slots + checkpoint));
  m_slots.save(slot, position, checkpoint);
  return {};
}

Result<void> VulkanPlacement::restoreCheckpoint(int checkpoint, int slot) {
  MINERVA_TRY(m_slots.checkRestore(checkpoint, slot));
  MINERVA_TRY(copyStates(m_options.slots + checkpoint, slot));
  m_slots.restore(checkpoint, slot);
  return {};
}

}  // namespace minerva::gpu
