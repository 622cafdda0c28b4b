// The program's log, which may quote names and errors from files and servers.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace minerva::app {

// "[time] [level] message", with control characters of the message replaced: a name cannot steer the terminal or forge a line.
[[nodiscard]] std::unique_ptr<spdlog::formatter> printableLogFormatter();

}  // namespace minerva::app
