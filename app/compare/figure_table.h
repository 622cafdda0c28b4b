// Definition of the figures of a comparison, one row each. The table, 'best', the store and the exports are derived from it.
#pragma once

#include "app/compare/compare_types.h"

#include <array>

namespace minerva::app {

struct FigureRow {
  enum class Better { lower, higher };
  enum class Unit { milliseconds, perSecond, bytes, number, share };
  const char* key;    // in QML and JSON
  const char* title;  // in exports
  Unit unit;
  Better better;
  double CompareFigures::*value;
  bool distance = false;  // a distance from the reference; the reference's own value is excluded from 'best'
};

inline constexpr std::array figureTable{
    FigureRow{"load", "Load", FigureRow::Unit::milliseconds, FigureRow::Better::lower, &CompareFigures::loadMs},
    FigureRow{"ttft", "TTFT", FigureRow::Unit::milliseconds, FigureRow::Better::lower, &CompareFigures::ttftMs},
    FigureRow{"prefill", "Prefill tok/s", FigureRow::Unit::perSecond, FigureRow::Better::higher, &CompareFigures::prefillSpeed},
    FigureRow{"decode", "Decode tok/s", FigureRow::Unit::perSecond, FigureRow::Better::higher, &CompareFigures::decodeSpeed},
    FigureRow{"p50", "ms/token p50", FigureRow::Unit::milliseconds, FigureRow::Better::lower, &CompareFigures::tpotP50},
    FigureRow{"p95", "ms/token p95", FigureRow::Unit::milliseconds, FigureRow::Better::lower, &CompareFigures::tpotP95},
    FigureRow{"memory", "Memory", FigureRow::Unit::bytes, FigureRow::Better::lower, &CompareFigures::memoryBytes},
    FigureRow{"disk", "Disk", FigureRow::Unit::bytes, FigureRow::Better::lower, &CompareFigures::diskBytes},
    FigureRow{"bits", "Bits/weight", FigureRow::Unit::number, FigureRow::Better::lower, &CompareFigures::bitsPerWeight},
    FigureRow{"kl", "KL", FigureRow::Unit::number, FigureRow::Better::lower, &CompareFigures::kl, true},
    FigureRow{"kl99", "KL p99", FigureRow::Unit::number, FigureRow::Better::lower, &CompareFigures::kl99, true},
    FigureRow{"top1", "Same top token", FigureRow::Unit::share, FigureRow::Better::higher, &CompareFigures::top1, true},
    FigureRow{"perplexity", "Perplexity", FigureRow::Unit::number, FigureRow::Better::lower, &CompareFigures::perplexity},
};

}  // namespace minerva::app
