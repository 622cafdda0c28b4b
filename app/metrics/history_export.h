// Exports stored figures as CSV and JSON. Names are those of the store's columns; unknown figures are empty (CSV) or null
// (JSON).
#pragma once

#include "app/metrics/reply_record.h"

#include <QByteArray>

namespace minerva::app {

[[nodiscard]] QByteArray historyAsCsv(const std::vector<ReplyRecord>& records);
[[nodiscard]] QByteArray historyAsJson(const std::vector<ReplyRecord>& records);

}  // namespace minerva::app
