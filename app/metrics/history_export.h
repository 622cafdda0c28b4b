// Kept figures as CSV and JSON. Names are those of the store's columns; a figure that is not known is empty, or null.
#pragma once

#include "app/metrics/reply_record.h"

#include <QByteArray>

namespace minerva::app {

[[nodiscard]] QByteArray historyAsCsv(const std::vector<ReplyRecord>& records);
[[nodiscard]] QByteArray historyAsJson(const std::vector<ReplyRecord>& records);

}  // namespace minerva::app
