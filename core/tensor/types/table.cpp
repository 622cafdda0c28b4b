#include "core/tensor/types/rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace minerva {

namespace {

static_assert(types::floatRows.size() + types::blockRows.size() + types::superRows.size() + types::smallSuperRows.size() +
                  types::nibbleTableRows.size() + types::fewBitRows.size() + types::gridRows.size() + types::smallBlockRows.size() +
                  types::mlxRows.size() ==
              elementTypeCount);

// Rows in the order of the enumerators, so that traits() is one index.
const std::array<ElementTypeTraits, elementTypeCount>& table() {
  static const auto rows = [] {
    std::array<ElementTypeTraits, elementTypeCount> all{};
    auto end = all.begin();
    const auto add = [&](const auto& family) { end = std::ranges::copy(family, end).out; };
    add(types::floatRows);
    add(types::blockRows);
    add(types::superRows);
    add(types::smallSuperRows);
    add(types::nibbleTableRows);
    add(types::fewBitRows);
    add(types::gridRows);
    add(types::smallBlockRows);
    add(types::mlxRows);
    std::ranges::sort(all, {}, &ElementTypeTraits::type);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<std::size_t>(all[i].type) == i) continue;
      std::fputs("element types: the table and the enumeration differ\n", stderr);
      std::abort();
    }
    return all;
  }();
  return rows;
}

bool equalWithoutCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

const ElementTypeTraits& traits(ElementType type) { return table()[static_cast<std::size_t>(type)]; }

std::span<const ElementTypeTraits> allElementTypes() { return table(); }

const ElementTypeTraits* findElementTypeByGgmlId(std::uint32_t id) {
  if (id == noGgmlId) return nullptr;
  const auto row = std::ranges::find(table(), id, &ElementTypeTraits::ggmlId);
  return row == table().end() ? nullptr : &*row;
}

const ElementTypeTraits* findElementType(std::string_view name) {
  const auto row = std::ranges::find_if(table(), [&](const auto& t) { return equalWithoutCase(t.name, name); });
  return row == table().end() ? nullptr : &*row;
}

}  // namespace minerva
