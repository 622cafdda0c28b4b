// The interface of a device: place a plan's weights, run steps, return logits.
//
// A Backend is one device (the CPU; one GPU). place() allocates weights, KV cache and scratch there and returns a Placement,
// which runs steps. A Placement is not thread-safe; a Backend may have several Placements.
// Implementations: core/backend/reference, cpu and split, gpu/runtime. gpu/available.h lists the devices of this build.
#pragma once

#include "core/backend/bandwidth.h"
#include "core/base/error.h"
#include "core/model/plan.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::backend {

using TokenId = std::int32_t;

// What one of several devices does for a model that they share.
struct DevicePart {
  std::string id, name;             // as in its DeviceInfo; a device that takes part twice has "#2" behind its id
  int layers = 0;                   // 0: only the token embedding, or experts of others' layers
  int experts = 0;                  // number of others' layers whose experts it has
  std::uint64_t bytesPerToken = 0;  // that it reads
};

// When a row comes out the same, bit for bit, whatever company it has in its step. From the weakest promise to the strongest.
enum class Alike {
  never,
  apart,   // a row of a reply (RowUse::reply) in steps of at most mostAlike rows, all of them of replies
  always,  // of replies and of prompts in every step; of prompts in mixtures and latent attention, if asked for (PlaceOptions::alike)
};
inline constexpr int mostAlike = 8;

struct DeviceInfo {
  std::string id;             // "cpu", "vulkan:0", "reference": the values of --device
  std::string kind;           // "CPU", "Vulkan"
  std::string name;           // "Intel Xeon ...", "llvmpipe (LLVM 15, 256 bits)"
  std::string detail;         // instruction set ("AVX-512 VNNI"), or driver name and version
  std::string uuid;           // GPUs: 32 hex digits; empty otherwise
  std::string location = {};  // on the PCI bus, by which two drivers of one GPU are told; empty: unknown
  bool integrated = false;    // a GPU that shares the system's memory
  bool software = false;      // a GPU driver that runs on the CPU
  Alike alike = Alike::never;
  bool shares = false;  // can run part of a model while the CPU runs the rest (Placement::runPart)
  std::uint64_t memoryTotal = 0;
  std::uint64_t memoryFree = 0;  // at the time of the query; 0: unknown
  int threads = 0;               // CPU: worker threads used
  // Of several devices, for the last model placed; empty and 0 if one device runs it, or none is placed.
  std::string split;                   // bytes per token each device reads: "950+50"
  std::vector<DevicePart> parts = {};  // in the order in which a step goes through them, the host last
  std::uint64_t handedOver = 0;        // bytes per token transferred between devices
};

enum class Precision {
  standard,  // activations may be rounded (int8 blocks, bf16, f16) if that is faster. A CPU multiplies most integer types of GGUF by 8 bits
             // with a scale for 32 columns (llama.cpp: 256 in K-quants), but by 16 where results are queries, keys, values or
             // inputs of recurrent states (model/mixer_inputs.h); and throughout in models with a delta rule, whose states keep and
             // multiply a rounding error
  exact,     // float32 activations and accumulation; weights at full stored precision
};

struct PlaceOptions {
  int contextLength = 4096;  // positions per slot
  int slots = 1;             // sequences whose states can be kept at the same time
  int contexts = 0;          // whole contexts for which there are keys and values, shared by all slots; 0: one for each slot
  int checkpoints = 0;       // of states that cannot be cut back to every position: recurrent ones, and windows that give pages back
  int maxRows = 512;         // maximum rows (tokens) per step
  int maxOutputRows = 512;   // maximum rows per step that want logits (<= maxRows); determines scratch size
  Precision precision = Precision::standard;
  model::KvType kvType = model::KvType::f16;  // as requested; keptKv() returns the type actually used
  bool evenIfTooLarge = false;                // the CPU accepts models that exceed the available memory
  bool compileAhead = false;                  // a GPU compiles the kernels of all steps now instead of on first use
  // What is asked of a device, although several rows then take longer. One that can only do so `apart` (DeviceInfo::alike) keeps with
  // `always` to that for any number of rows, of replies or of prompts, as long as a step has only the one or only the other. One that does
  // so `always` computes a prompt's rows of an expert or head in the same way however few they are.
  Alike alike = Alike::never;
  // This model drafts for the one that was placed before it. Where devices share models, DeviceInfo and measureReadBandwidth() go on to
  // describe that one, and the layers that were chosen for it are not applied to this one.
  bool drafts = false;
  std::uint64_t reserved = 0;  // where devices share models: bytes that the first one keeps free for a model placed later
};

// The type in which all devices store keys and values under these options.
[[nodiscard]] inline model::KvType keptKv(const model::Plan& plan, const PlaceOptions& options) {
  return plan.keptKv(options.kvType, options.precision == Precision::exact);
}

struct MemoryUse {
  // kv: the states of all sequences, recurrent ones and checkpoints included.
  std::uint64_t weights = 0, kv = 0, scratch = 0;  // bytes on the device (mapped weights count on the device that reads them)
  std::uint64_t mapped = 0;                        // part of `weights`: file-backed pages that the OS may evict and page in again
  std::uint64_t kvHeld = 0;                        // part of `kv` that sequences and checkpoints hold now; 0 in what is only computed

  [[nodiscard]] std::uint64_t total() const { return weights + kv + scratch; }
  [[nodiscard]] std::uint64_t allocated() const { return total() - mapped; }
};

// Memory that a plan needs on one device, and that the device has for it.
struct DeviceNeed {
  std::string device;  // DeviceInfo::id
  MemoryUse use;
  std::uint64_t free = 0;  // as DeviceInfo::memoryFree, of a GPU without some headroom for the screen and other programs; 0: unknown
  std::uint64_t piece = 0, largestPiece = 0;  // the largest that is allocated at once, as a matrix is, and that can be; 0: any

  [[nodiscard]] bool pieceFits() const { return largestPiece == 0 || piece <= largestPiece; }
  [[nodiscard]] bool fits() const { return pieceFits() && (free == 0 || use.allocated() <= free); }
};

// Host view of a buffer's rows: row i starts at data + i * stride.
struct BufferRows {
  float* data = nullptr;
  std::size_t stride = 0;  // floats
  int rows = 0, columns = 0;
};

// What a row is for. It decides how the row is computed where a device has a way for few rows and one for many, which round differently.
enum class RowUse {
  any,     // of tools: whatever is fastest for the step
  prompt,  // as one of many
  reply,   // as one of few, so that a reply does not depend on how many others are in the step (Alike). These rows come first in a step
};

// One token to run. Positions of a slot must be filled from 0 without gaps. Writing an earlier position again discards
// everything from there on; this is how a conversation is rewound. Recurrent states cannot be rewound, nor a window that has given back
// what it saw before the earlier position (kv_pages.h): then that must be 0 or the position of a checkpoint restored before.
struct StepRow {
  TokenId token = 0;
  int position = 0;
  int slot = 0;
  bool wantsLogits = false;  // or the vector of the text, of which it is then the last token
  // Use the ropes' long frequencies. Must be set for all tokens of a sequence longer than Plan::longRopeFrom(); a sequence
  // that grows beyond that length must be recomputed from its first token.
  bool longRope = false;
  int type = 0;  // of models with types of tokens: 1 in the second of two texts
  RowUse use = RowUse::any;
  float temperature = 1;  // at which its next token is drawn: TopLogits::sum. Positive
};

// The best logits of a row, few enough to be brought from a device with every step.
//
// Complete: a token that is not listed has a smaller logit than every one that is. How many are listed is up to the device and the row,
// `most` at most; none where more than that share the largest logit. Then, or if that is not enough, there are still Placement::logits().
struct TopLogits {
  struct Entry {
    TokenId token;
    float logit;
  };
  static constexpr int most = 256;
  std::span<const Entry> best;  // larger logits first, of equal ones the lower token
  float largest = 0;            // of all logits; NaN if one of them is NaN
  bool whole = false;           // all tokens are listed
  // Sum of e^((logit - largest) / temperature) over all tokens, with the row's temperature: wrong by at most this part of it. Anything if
  // `largest` is not finite.
  double sum = 0;
  static constexpr double sumError = 0x1p-15;
};

class Placement {
 public:
  virtual ~Placement() = default;

  // Runs the rows (1 .. maxRows) through the model. Rows of one slot must be in ascending positions; a row attends to all
  // positions of its slot up to its own, including rows of this step. A plan with whole texts allows nothing else than these in a step.
  // Errors: deviceLost, memoryLost, outOfMemory, cancelled; invalidArgument for rows outside the limits, limit for more pages than are free
  // (nothing is run).
  [[nodiscard]] virtual Result<void> step(std::span<const StepRow> rows) = 0;

  // step(), and for each op of the plan the milliseconds from the end of the op before it to its own, by the device's clock; 0 of those
  // that the step has no rows for. A norm that another op's kernel does counts there. The clock costs some time itself. Errors: as step();
  // unsupported (a GPU without such a clock; a model that is shared by devices).
  [[nodiscard]] virtual Result<std::vector<double>> timeStep(std::span<const StepRow> rows);

  // Logits [vocabulary] of the i-th row of the last step that wanted them; for a plan that makes vectors of texts (Plan::embedding), the
  // vector of the text that ends with this row. Valid until the next step. Errors:
  // invalidArgument (no such row); on a GPU also deviceLost and outOfMemory, because it may copy the logits only now.
  [[nodiscard]] virtual Result<std::span<const float>> logits(int i) = 0;

  // The best logits of the i-th row that wanted them, where the device has already brought them with the step; nullopt where logits() is as
  // fast, for plans that make vectors of texts, and for no such row. Valid until the next step. Never waits for the device.
  [[nodiscard]] virtual std::optional<TopLogits> topLogits(int i);

  // Another slot shares the pages of positions [0, length) of this slot's KV states and gets a copy of its recurrent states. If those stand
  // at another position than `length`, or windows have given back what they saw there, a checkpoint must be restored to the target
  // before it is used.
  [[nodiscard]] virtual Result<void> copySlot(int from, int to, int length) = 0;

  // Copies a slot's recurrent states behind its first `position` positions, where they must stand, to a checkpoint [0,
  // PlaceOptions::checkpoints), or back; with them go the pages of windows before that position. A restored slot continues at the
  // checkpoint's position, up to which it must hold the keys and values of the same tokens. Errors: invalidArgument (out of range; states
  // that stand elsewhere, as those of a slot that was copied to and not run since; windows that gave back what is before the position; a
  // checkpoint never saved; a slot that holds fewer positions), deviceLost.
  [[nodiscard]] virtual Result<void> saveCheckpoint(int slot, int position, int checkpoint) = 0;
  [[nodiscard]] virtual Result<void> restoreCheckpoint(int checkpoint, int slot) = 0;

  // Where slots share fewer contexts than there are slots: the pages (kvPagePositions positions each) that would be free after a step with
  // these rows, if the slots `released` had been released before it. Negative: step() refuses the rows. Changes nothing.
  [[nodiscard]] virtual int pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const = 0;
  // The slot gives back its pages of the positions [from, ...) and holds no more than those before them. As after a copy (copySlot), a
  // checkpoint must be restored before it is used if its recurrent states stand behind `from`, or windows have given back what they saw
  // there. Checkpoints keep their pages. REQUIRES a slot that exists.
  virtual void release(int slot, int from) = 0;
  // Nobody returns to the checkpoint any more: it gives back what it holds of windows. REQUIRES one that exists.
  virtual void dropCheckpoint(int checkpoint) = 0;

  [[nodiscard]] virtual MemoryUse memory() const = 0;

  // For plans split into parts (model::PlanPart), used by the code that distributes a model: begin() takes a step's rows as
  // step() does, then each part runs once, in order. rows() gives access to a buffer in this step: write a part's received
  // buffers before it runs, read its sent buffers after it has run. Errors: as step(); unsupported if the device cannot run
  // parts.
  [[nodiscard]] virtual Result<void> begin(std::span<const StepRow> rows);
  [[nodiscard]] virtual Result<void> runPart(std::size_t part);
  [[nodiscard]] virtual Result<BufferRows> rows(model::BufferId buffer);
};

// Called during place(), on the calling thread, with bytes done and total bytes; kernels to compile count as some. A total of 0: the
// device is being measured first, which takes two seconds at most and is done once for each kind of matrices.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// The kernels of a placement on a device that has a compiler of its own, and what a step of one token asks of it.
struct KernelReport {
  struct Kernel {
    std::string name;                                     // with its constants
    std::vector<std::pair<std::string, double>> figures;  // of the compiler, under its own names: registers, spills, instructions, ...
    bool ofOneToken = false;                              // a step of one token runs it
  };
  std::vector<Kernel> kernels;
  std::size_t dispatches = 0, barriers = 0;  // of a step of one token
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual DeviceInfo info() const = 0;

  // The plan (and the file behind its views) must outlive the Placement. Cancellation takes effect within 100 ms.
  // Errors: outOfMemory (with needed and free bytes), unsupported, cancelled, deviceLost.
  [[nodiscard]] virtual Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options,
                                                                 const Progress& progress, std::stop_token stop) = 0;

  // The memory place() would use, computed without allocating; equals the placement's memory(). One entry per device.
  // Errors: as place() for invalid options and unsupported plans.
  [[nodiscard]] virtual Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const = 0;

  // Compiles the kernels that any step of place() would need, without memory for the model. Errors: unsupported (a device without kernels
  // to compile, or as place()), internal (the compiler refuses one; says which).
  [[nodiscard]] virtual Result<KernelReport> compileKernels(const model::Plan& plan, const PlaceOptions& options);

  // Measures this device's read bandwidth with our own kernel, for sizes from 1 MiB to 1 GiB (less if too little memory is
  // free). Takes about a second. stop is polled first and before each run of a few milliseconds; if it returns true, the
  // call fails with `cancelled`.
  using StopAsked = std::function<bool()>;
  [[nodiscard]] virtual Result<BandwidthCurve> measureReadBandwidth(const StopAsked& stop = {}) = 0;

  // Whether what was placed so far is still there, as far as is known without asking the device: some GPUs forget it while the system
  // sleeps. From any thread. Errors: memoryLost, which every step fails with, too.
  [[nodiscard]] virtual Result<void> checkMemory() const { return {}; }
};

}  // namespace minerva::backend
