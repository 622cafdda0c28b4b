// Charts and a table of a report of speeds, as QML draws them. Pure.
#pragma once

#include "core/speed/saved_report.h"

#include <QString>
#include <QVariantList>

namespace minerva::app {

// Decode and prefill by the number of conversations (at the smallest depth), then by depth (with the fewest conversations), as far as more
// than one was measured; of a single measurement none. Each: {key, title, across, most, ticks [numbers], mostX, ticksX, line [QPointF: x,
// tok/s], points [{x, value, low, high, xText, words}], words: all of it as a sentence}. Axes begin at 0.
[[nodiscard]] QVariantList speedCharts(const speed::SpeedReport& report);

// A row for each measurement: {batch, depth, prefill, decode, ttft, tpot, tpot95, share} (numbers; share: NaN if it is not known).
[[nodiscard]] QVariantList speedTable(const speed::SpeedReport& report);

// The model and the conditions: {model, format, type, device, prompt, generate, repetitions, machine: a line, commit}.
[[nodiscard]] QVariantMap speedSubject(const speed::SpeedReport& report);

}  // namespace minerva::app
