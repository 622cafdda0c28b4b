// The contract of a device: place a plan's weights, run steps, give back logits.
//
// A Backend is one device (the CPU; one GPU). place() puts weights, KV cache and scratch there and returns a Placement,
// which runs steps. A Placement is used by one thread at a time; several Placements of one Backend may exist.
// Implementations: core/backend/reference, core/backend/cpu, gpu/runtime. gpu/available.h lists what this build offers.
#pragma once

#include "core/backend/bandwidth.h"
#include "core/base/error.h"
#include "core/model/plan.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::backend {

using TokenId = std::int32_t;

struct DeviceInfo {
  std::string id;         // "cpu", "vulkan:0", "reference": what --device takes
  std::string kind;       // "CPU", "Vulkan"
  std::string name;       // "Intel Xeon ...", "llvmpipe (LLVM 15, 256 bits)"
  std::string detail;     // instruction set ("AVX-512 VNNI"), or driver name and version
  std::string uuid;       // GPUs: 32 hex digits; empty otherwise
  bool software = false;  // a GPU driver that runs on the CPU
  bool shares = false;    // can run a part of a model while the processor runs the rest (Placement::runPart)
  std::uint64_t memoryTotal = 0;
  std::uint64_t memoryFree = 0;  // when asked; 0: the driver does not say
  int threads = 0;               // CPU: worker threads used
};

enum class Precision {
  standard,  // activations may be rounded (int8 blocks, bf16, f16) where that is faster
  exact,     // float32 activations and accumulation; weights in their stored type
};

struct PlaceOptions {
  int contextLength = 4096;  // positions a sequence slot can hold
  int slots = 1;             // sequences that can be in the KV cache at once
  int maxRows = 512;         // rows (tokens) of one step at most
  int maxOutputRows = 512;   // rows of one step that may want logits at most (<= maxRows); scratch follows it
  Precision precision = Precision::standard;
  model::KvType kvType = model::KvType::f16;  // as wanted: keptKv() says how they are kept
  bool evenIfTooLarge = false;                // the CPU does not refuse what it has too little memory for
  bool compileAhead = false;                  // a GPU compiles the kernels of every step size now, not on first use
};

// How keys and values are kept on every device under these options.
[[nodiscard]] inline model::KvType keptKv(const model::Plan& plan, const PlaceOptions& options) {
  return plan.keptKv(options.kvType, options.precision == Precision::exact);
}

struct MemoryUse {
  std::uint64_t weights = 0, kv = 0, scratch = 0;  // bytes on the device (mapped weights count where they are read)
  std::uint64_t mapped = 0;                        // of the weights: read from the mapped file, which the system may drop and read again

  [[nodiscard]] std::uint64_t total() const { return weights + kv + scratch; }
  [[nodiscard]] std::uint64_t allocated() const { return total() - mapped; }
};

// What a plan takes on one device, and what that device has.
struct DeviceNeed {
  std::string device;  // DeviceInfo::id
  MemoryUse use;
  std::uint64_t free = 0;  // as DeviceInfo::memoryFree; 0: not known

  [[nodiscard]] bool fits() const { return free == 0 || use.allocated() <= free; }
};

// The rows of a buffer, as the host sees them: row i begins at data + i * stride.
struct BufferRows {
  float* data = nullptr;
  std::size_t stride = 0;  // floats
  int rows = 0, columns = 0;
};

// One token to run. Positions of a slot must be filled from 0 without gaps; writing an earlier position again discards
// what stood there and is how a conversation is rewound.
struct StepRow {
  TokenId token = 0;
  int position = 0;
  int slot = 0;
  bool wantsLogits = false;
  // Rotate by the ropes' long frequencies: set for all tokens of a sequence that is longer than Plan::longRopeFrom(). One
  // that grows beyond it is computed again from its first token.
  bool longRope = false;
};

class Placement {
 public:
  virtual ~Placement() = default;

  // Runs the rows (1 .. maxRows) through the model. Rows of one slot are in ascending positions; a row attends to all
  // positions of its slot up to its own, rows of this step included.
  // Errors: deviceLost, outOfMemory, cancelled. invalidArgument for rows outside the limits (nothing is run).
  [[nodiscard]] virtual Result<void> step(std::span<const StepRow> rows) = 0;

  // Logits [vocabulary] of the i-th row of the last step that wanted them. Valid until the next step. Never fails after a
  // successful step; a GPU copies on first call.
  [[nodiscard]] virtual Result<std::span<const float>> logits(int i) = 0;

  // Copies positions [0, length) of a slot's KV cache to another slot.
  [[nodiscard]] virtual Result<void> copySlot(int from, int to, int length) = 0;

  [[nodiscard]] virtual MemoryUse memory() const = 0;

  // A plan in parts (model::PlanPart) is run by whoever shares the model out: begin() takes a step's rows as step()
  // would, then every part runs once, in order. rows() are those of this step: of a part's received buffers they are
  // written before it runs, of its sent ones read after it ran. Errors: as step(); unsupported where a device has no
  // parts.
  [[nodiscard]] virtual Result<void> begin(std::span<const StepRow> rows);
  [[nodiscard]] virtual Result<void> runPart(std::size_t part);
  [[nodiscard]] virtual Result<BufferRows> rows(model::BufferId buffer);
};

// Called during place() with bytes done and bytes in all; from the calling thread.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual DeviceInfo info() const = 0;

  // The plan (and the file behind its views) must outlive the Placement. Cancellation is answered within 100 ms.
  // Errors: outOfMemory (with needed and free bytes), unsupported, cancelled, deviceLost.
  [[nodiscard]] virtual Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options,
                                                                 const Progress& progress, std::stop_token stop) = 0;

  // What place() would take, worked out without taking it: equal to the placement's memory(). One entry a device.
  // Errors: as place() for options that cannot be and plans that are not supported.
  [[nodiscard]] virtual Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const = 0;

  // How fast this device reads, measured now by our own read kernel over amounts from 1 MiB to 1 GiB (about a second; less
  // where so much memory is not free). stop is asked between the amounts: true ends it with the error `cancelled`.
  using StopAsked = std::function<bool()>;
  [[nodiscard]] virtual Result<BandwidthCurve> measureReadBandwidth(const StopAsked& stop = {}) = 0;
};

}  // namespace minerva::backend
