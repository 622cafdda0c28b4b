// The table of one instruction set, made of the templates beside this file. Included last by isa/<set>.cpp.
#pragma once

#include "core/backend/cpu/kernels/attention.h"
#include "core/backend/cpu/kernels/dot.h"
#include "core/backend/cpu/kernels/elementwise.h"
#include "core/backend/cpu/kernels/unpack.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

template <class Format>
void addLayout(Kernels& table, WeightLayout layout) {
  table.dot[layout] = dot<Format>;
  table.unpack[layout] = unpack<Format>;
}
template <class Format>
void addType(Kernels& table, ElementType type) {
  addLayout<Format>(table, panelsOf(type));
}

Kernels makeTable(const char* name, const char* detail) {
  Kernels table{};
  table.name = name;
  table.detail = detail;
  addType<Singles>(table, ElementType::F32);
  addType<Halves>(table, ElementType::F16);
  addType<Brains>(table, ElementType::BF16);
  addType<Bytes>(table, ElementType::Q8_0);
  addType<Nibbles<4, false>>(table, ElementType::Q4_0);
  addType<Nibbles<4, true>>(table, ElementType::Q4_1);
  addType<Nibbles<5, false>>(table, ElementType::Q5_0);
  addType<Nibbles<5, true>>(table, ElementType::Q5_1);
  addType<Grouped<4>>(table, ElementType::Q4_K);
  addType<Grouped<5>>(table, ElementType::Q5_K);
  addType<Sixes>(table, ElementType::Q6_K);
  addLayout<SingleRows>(table, rowsOf(ElementType::F32));
  addLayout<HalfRows>(table, rowsOf(ElementType::F16));
  addLayout<BrainRows>(table, rowsOf(ElementType::BF16));
  table.normalise = normalise;
  table.quantize = quantize;
  table.multiply = multiply;
  table.finish = finish;
  table.rotate = rotate;
  table.storeKeyValue[static_cast<int>(CacheType::half)] = storeKeyValue<HalfCache>;
  table.storeKeyValue[static_cast<int>(CacheType::single)] = storeKeyValue<SingleCache>;
  table.attend[static_cast<int>(CacheType::half)] = attend<HalfCache>;
  table.attend[static_cast<int>(CacheType::single)] = attend<SingleCache>;
  table.read = readAll;
  return table;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
