// Runs KaTeX in Qt's JavaScript engine: TeX to markup. Use on one thread only. The first use takes about 300 ms to load.
#pragma once

#include "core/base/error.h"

#include <QJSEngine>
#include <QString>

#include <memory>
#include <optional>

namespace minerva::app {

class Katex {
 public:
  // Whether the program was built with KaTeX.
  [[nodiscard]] static bool isThere();
  // Errors: unsupported (KaTeX rejects the formula, or is not available), internal (KaTeX does not run).
  [[nodiscard]] Result<QString> markup(const QString& tex, bool display);

 private:
  [[nodiscard]] Result<void> load();
  std::optional<Result<void>> m_loaded;  // nullopt: not tried yet
  std::unique_ptr<QJSEngine> m_engine;
  QJSValue m_render;
};

}  // namespace minerva::app
