// Lays out KaTeX's markup with a subset of the rules of katex.css: boxes in a row, shifted up or down, and stacks of rows
// ("vlist"). Unknown constructs are errors: a formula is drawn correctly or not at all.
#pragma once

#include "app/math/math_fonts.h"
#include "core/base/error.h"

namespace minerva::app {

// pixels: size of the surrounding text. Errors: unsupported (naming the unknown construct), corrupt.
[[nodiscard]] Result<MathShape> layOut(const QString& markup, qreal pixels, MathFonts& fonts);

}  // namespace minerva::app
