#include "app/actions/page_table.h"

#include <array>

namespace minerva::app {
namespace {

constexpr std::array pageRows{
    PageRow{"chat", "chat"},       PageRow{"models", "models"},           PageRow{"compare", "compare"},
    PageRow{"metrics", "metrics"}, PageRow{"settings", "settings", true},
};

}  // namespace

std::span<const PageRow> pageTable() { return pageRows; }

QStringList pageKeys() {
  QStringList keys;
  for (const PageRow& row : pageRows) keys << QString::fromLatin1(row.key);
  return keys;
}

}  // namespace minerva::app
