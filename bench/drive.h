// Runs a request to its end on this thread.
#pragma once

#include "core/engine/reply.h"
#include "core/text/channels.h"

#include <functional>
#include <string>
#include <vector>

namespace minerva::bench {

using engine::Reply;

// Called with each piece of text as it becomes certain.
using Show = std::function<void(text::Channel, std::string_view)>;
// Answers to stdout; reasoning and calls of tools to stderr, so that a script gets the answer alone.
[[nodiscard]] Show showOnTerminal();

// interrupted: asked between steps; true cancels the reply.
[[nodiscard]] Result<Reply> drive(engine::Engine& engine, engine::Request request, const Show& shown = {},
                                  const std::function<bool()>& interrupted = {});

}  // namespace minerva::bench
