// Reports as files: Markdown tables, figures as text, writing.
#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::speed {

using Cells = std::vector<std::string>;

// A GitHub-style table; '|' and line ends in cells are escaped. Rows may be shorter than the header.
[[nodiscard]] std::string markdownTable(const Cells& header, const std::vector<Cells>& rows);
// Three significant figures, without an exponent: "1.23", "45.6", "789", "12345".
[[nodiscard]] std::string figure(double value);
// Replaces the file. Errors: io.
[[nodiscard]] Result<void> writeReport(const std::filesystem::path& path, std::string_view text);

}  // namespace minerva::speed
