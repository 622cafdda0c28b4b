// KaTeX in Qt's JavaScript engine: TeX to markup. Belongs to the thread that makes it; making it takes some 300 ms.
#pragma once

#include "core/base/error.h"

#include <QJSEngine>
#include <QString>

#include <memory>
#include <optional>

namespace minerva::app {

class Katex {
 public:
  // Whether this program was built with it.
  [[nodiscard]] static bool isThere();
  // Errors: unsupported (what KaTeX says of the formula, or it is not there), internal (KaTeX itself does not run).
  [[nodiscard]] Result<QString> markup(const QString& tex, bool display);

 private:
  [[nodiscard]] Result<void> load();
  std::optional<Result<void>> m_loaded;  // nothing: not tried yet
  std::unique_ptr<QJSEngine> m_engine;
  QJSValue m_render;
};

}  // namespace minerva::app
