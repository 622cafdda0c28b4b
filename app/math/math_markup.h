// Lays out the markup that KaTeX makes, by the rules of its katex.css that it needs: boxes in a row, shifted up or down, and
// stacks of rows ("vlist"). What it does not know it refuses: a formula is drawn right or not at all.
#pragma once

#include "app/math/math_fonts.h"
#include "core/base/error.h"

namespace minerva::app {

// pixels: the size of the text around it. Errors: unsupported (naming what is not known), corrupt.
[[nodiscard]] Result<MathShape> layOut(const QString& markup, qreal pixels, MathFonts& fonts);

}  // namespace minerva::app
