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

Kernels makeTable(const char* name, const char* detail) {
  Kernels table{};
  table.name = name;
  table.detail = detail;
  visitLayouts([&]<class Format>(WeightLayout layout) {
    table.dot[layout] = dot<Format>;
    table.dotBytes[layout] = bytesFunction<Format>();
    table.unpack[layout] = unpack<Format>;
  });
  table.normalise = normalise;
  table.gate = gate;
  table.quantize = quantize;
  table.quantizeBytes = quantizeBytes;
  table.threshold = threshold;
  table.xielu = xielu;
  table.level = level;
  table.mix = mix;
  table.multiply = multiply;
  table.finish = finish;
  table.rotate = rotate;
  table.storeKeyValue[static_cast<int>(CacheType::half)] = storeKeyValue<HalfCache>;
  table.storeKeyValue[static_cast<int>(CacheType::single)] = storeKeyValue<SingleCache>;
  table.storeKeyValue[static_cast<int>(CacheType::blocks)] = storeBlocks;
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
