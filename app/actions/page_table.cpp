#include "app/actions/page_table.h"

#include <array>

namespace minerva::app {
namespace {

constexpr std::array table{
    PageRow{"chat", "chat"},       PageRow{"models", "models"},           PageRow{"compare", "compare"},
    PageRow{"metrics", "metrics"}, PageRow{"settings", "settings", true},
};

}  // namespace

std::span<const PageRow> pageTable() { return table; }

QStringList pageKeys() {
  QStringList keys;
  for (const PageRow& row : table) keys << QString::fromLatin1(row.key);
  return keys;
}

}  // namespace minerva::app
