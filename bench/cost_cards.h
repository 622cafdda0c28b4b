// Graphics cards as figures: what their data sheets say, and what published results of llama.cpp say of it (cards.json, which is part of
// the program; --cards reads another file).
#pragma once

#include "core/backend/described_gpu.h"
#include "core/speed/cost.h"

#include <string>
#include <string_view>
#include <vector>

namespace minerva::bench {

// What cards of one kind have in common; calibrated on anchors.
struct CardKind {
  std::string name, source;
  double dispatchUs = 0, barrierUs = 0, stepUs = 0;
  double share = 0, expertShare = 0;             // of the bandwidth
  double unitShare = 0, plainShare = 0;          // of the peak: of matrix units, and of plain arithmetic
  double peerUnitShare = 0, peerPlainShare = 0;  // what llama.cpp's kernels reach
  double expertPeakShare = 0;                    // of that, for experts
  bool peerQuantizes = false;                    // llama.cpp multiplies with 8-bit activations: one more dispatch for each input
};

struct Card {
  std::string name, source;
  CardKind kind;
  double bandwidth = 0;     // bytes a second, as published
  double plainPeak = 0;     // operations a second, float32
  double unitPeak = 0;      // of matrix units, float16 with float32 sums; 0: none that we use
  double peerUnitPeak = 0;  // 0: none that llama.cpp uses
  std::uint32_t lanes = 32, cores = 32, sharedMemory = 0;
  bool listed = true;     // false: only for its anchors
  bool software = false;  // this machine's device, measured
};

// A published result of llama.cpp with Vulkan.
struct Anchor {
  std::string card, shape, type, source;
  double decode = 0, prefill = 0;  // tokens a second; 0: not published
};

struct CardFile {
  std::vector<Card> cards;
  std::vector<Anchor> anchors;
};

// path: "" is the file that is part of the program. Errors: notFound, io, invalidArgument (says which entry and field).
[[nodiscard]] Result<CardFile> readCards(const std::string& path);
[[nodiscard]] Result<CardFile> parseCards(std::string_view text, const std::string& where);

[[nodiscard]] backend::DescribedGpu describe(const Card& card);
enum class Program { minerva, peer };
[[nodiscard]] speed::DeviceRates ratesOf(const Card& card, Program program);
// Rows of a step from which on matrix units multiply, as the tuning that a GPU starts with has it, and as llama.cpp.
inline constexpr int rowsForUnits = 9;

}  // namespace minerva::bench
