// Runs a request to completion on the calling thread.
#pragma once

#include "core/engine/reply.h"
#include "core/text/channels.h"

#include <functional>
#include <string>
#include <vector>

namespace minerva::bench {

using engine::Reply;

// Called with each new piece of text.
using Show = std::function<void(text::Channel, std::string_view)>;
// Writes answers to stdout, reasoning and tool calls to stderr, so that scripts only get the answer.
[[nodiscard]] Show showOnTerminal();

// interrupted: polled between steps; true cancels the reply. Errors: the engine's; io, as soon as what is shown cannot be written.
[[nodiscard]] Result<Reply> drive(engine::Engine& engine, engine::Request request, const Show& shown = {},
                                  const std::function<bool()>& interrupted = {});

}  // namespace minerva::bench
