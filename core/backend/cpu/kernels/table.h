// Builds an instruction set's kernel table from the templates in this folder. Included last by isa/<set>.cpp.
#pragma once

#include "core/backend/cpu/kernels/attention.h"
#include "core/backend/cpu/kernels/dot.h"
#include "core/backend/cpu/kernels/elementwise.h"
#include "core/backend/cpu/kernels/layouts.h"
#include "core/backend/cpu/kernels/recurrent.h"
#include "core/backend/cpu/kernels/streams.h"
#include "core/backend/cpu/kernels/unpack.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The kernels of types with integer codes, which depend on how the instruction set multiplies integers.
template <Rounding How>
constexpr void putProducts(Kernels& table) {
  table.quantize[static_cast<int>(How)] = quantize<How>;
  visitLayouts([&table]<class Format>(WeightLayout layout) constexpr {
    if constexpr (multipliesCodes<Format>) table.dot[static_cast<int>(How)][layout] = productFunction<Format, How>();
  });
}
constexpr void putProducts(Kernels& table) {
  putProducts<Rounding::words>(table);
  putProducts<Rounding::parts>(table);
  putProducts<Rounding::bytes>(table);
}
constexpr Kernels makeProducts() {
  Kernels table{};
  putProducts(table);
  return table;
}

constexpr Kernels makeTable(const char* name, const char* detail) {
  Kernels table{};
  table.name = name;
  table.detail = detail;
  visitLayouts([&]<class Format>(WeightLayout layout) constexpr {
    if constexpr (!multipliesCodes<Format>) table.dot[static_cast<int>(Rounding::words)][layout] = dot<Format>;
    table.unpack[layout] = unpack<Format>;
  });
  putProducts(table);
  table.normalise = normalise;
  table.gate = gate;
  table.threshold = threshold;
  table.xielu = xielu;
  table.level = level;
  table.mix = mix;
  table.multiply = multiply;
  table.finish = finish;
  table.rotate = rotate;
  table.storeKeyValue[static_cast<int>(CacheType::half)] = storeKeyValue<HalfCache>;
  table.storeKeyValue[static_cast<int>(CacheType::single)] = storeKeyValue<SingleCache>;
  table.storeKeyValue[static_cast<int>(CacheType::blocks)] = storeCodes;
  table.attend[static_cast<int>(CacheType::half)] = attend<HalfCache>;
  table.attend[static_cast<int>(CacheType::single)] = attend<SingleCache>;
  table.attend[static_cast<int>(CacheType::blocks)] = attend<BlockCache>;
  table.convolve = convolve;
  table.deltaRule = deltaRule;
  table.scan = scan;
  table.read = readAll;
  return table;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
