// llama.cpp's llama-bench as another process, and its figures.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace minerva::bench {

// Splits a command into words at spaces; '...' and "..." keep spaces. Nothing else of a shell is known: no variable, no wildcard.
// Errors: invalidArgument (no word; a quote without its end).
[[nodiscard]] Result<std::vector<std::string>> splitCommand(std::string_view command);

struct PeerTask {
  std::string model;
  int prompt = 512, generate = 128, depth = 0;
  int threads = 0;   // 0: not said
  bool cpu = false;  // keep it off GPUs
  std::string kv{};  // element type of keys and values; "": not said
};

// The words to run: `command`, then what the task asks for. If a word of the command has {model} in it, that is replaced by the model's
// path, and the command is taken as one that says model, threads, device, flash attention and the type of keys and values itself.
[[nodiscard]] std::vector<std::string> peerArguments(const std::vector<std::string>& command, const PeerTask& task);

struct PeerFigures {
  double prefillPerSecond = 0, decodePerSecond = 0;
  int threads = 0;
  std::string build{}, cpu{}, backends{}, kv{};  // as it says; kv: as PeerTask has it, or both types if keys and values differ
};

// How Minerva ran.
struct OurRun {
  std::string device{};
  bool cpu = true;
  int threads = 0;
  std::string kv = "f16";
  bool exact = false, split = false;  // in exact precision; on several devices
};

// What makes the ratios other than those of equal work, a sentence without its full stop each.
[[nodiscard]] std::vector<std::string> unequalWork(const OurRun& ours, const PeerFigures& theirs);

// Errors: corrupt (no JSON, no row for the task), with an excerpt.
[[nodiscard]] Result<PeerFigures> readPeerFigures(std::string_view output, const PeerTask& task);

// Checks that the program is there, before long work. Errors: notFound, saying where to get it.
[[nodiscard]] Result<void> findPeer(const std::vector<std::string>& command);
// One repetition, after llama-bench's own warm-up. Errors: io (it could not run, or failed; with its last words), corrupt.
[[nodiscard]] Result<PeerFigures> runPeer(const std::vector<std::string>& command, const PeerTask& task);

}  // namespace minerva::bench
