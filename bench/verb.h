// A verb (subcommand) of minerva-bench: its options, and the function that runs it after parsing.
#pragma once

#include "core/base/error.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <span>

namespace minerva::bench {

using Runner = std::function<Result<void>()>;

struct Verb {
  const char* name;
  const char* help;
  Runner (*define)(CLI::App& options);  // adds the options; the runner reads the parsed values
};

// table.cpp
[[nodiscard]] std::span<const Verb> verbs();

// Each is defined in the file of the same name.
Runner defineDevices(CLI::App& options);
Runner defineProbe(CLI::App& options);
Runner defineKernels(CLI::App& options);
Runner defineProfile(CLI::App& options);
Runner defineCost(CLI::App& options);
Runner defineInspect(CLI::App& options);
Runner defineRun(CLI::App& options);
Runner defineChat(CLI::App& options);
Runner defineLogits(CLI::App& options);
Runner defineEmbed(CLI::App& options);
Runner defineRerank(CLI::App& options);
Runner defineTokenize(CLI::App& options);
Runner defineDetokenize(CLI::App& options);
Runner defineRender(CLI::App& options);
Runner defineSpeed(CLI::App& options);
Runner definePeer(CLI::App& options);
Runner defineCompare(CLI::App& options);
Runner definePerplexity(CLI::App& options);
Runner defineConvert(CLI::App& options);
Runner defineServe(CLI::App& options);
Runner defineLoad(CLI::App& options);
Runner defineSynth(CLI::App& options);

}  // namespace minerva::bench
