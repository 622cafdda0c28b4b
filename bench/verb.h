// A verb of minerva-bench: its options, and what runs once they are parsed.
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
  Runner (*define)(CLI::App& options);  // adds its options; the runner reads what they were set to
};

// table.cpp
[[nodiscard]] std::span<const Verb> verbs();

// One a file of the same name.
Runner defineDevices(CLI::App& options);
Runner defineProbe(CLI::App& options);
Runner defineInspect(CLI::App& options);
Runner defineRun(CLI::App& options);
Runner defineChat(CLI::App& options);
Runner defineLogits(CLI::App& options);
Runner defineTokenize(CLI::App& options);
Runner defineDetokenize(CLI::App& options);
Runner defineRender(CLI::App& options);
Runner defineSpeed(CLI::App& options);
Runner defineCompare(CLI::App& options);
Runner definePerplexity(CLI::App& options);
Runner defineConvert(CLI::App& options);
Runner defineSynth(CLI::App& options);

}  // namespace minerva::bench
