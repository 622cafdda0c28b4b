// A report of speeds that is kept: the machine and the rows of speedJson(), as one JSON document.
#pragma once

#include "core/speed/machine.h"

#include <string>
#include <string_view>

namespace minerva::speed {

struct SpeedReport {
  Machine machine;
  Json rows = Json::array();  // as speedJson() makes them
};

[[nodiscard]] std::string toDocument(const SpeedReport& report);  // {"machine": {...}, "rows": [...]}

// Checks every field that speedMarkdown(), speedSvg() and the window read, so that they take what it returns. where: the file, for errors.
// Errors: corrupt, with the field.
[[nodiscard]] Result<SpeedReport> readReport(std::string_view document, const std::string& where);

}  // namespace minerva::speed
