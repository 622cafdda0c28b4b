#include "app/math/math_fonts.h"

#include <QFile>
#include <QFont>

namespace minerva::app {
namespace {

QString fileOf(const MathFace& face, bool bold, bool italic) {
  const QString style = bold && italic ? QStringLiteral("BoldItalic")
                        : bold         ? QStringLiteral("Bold")
                        : italic       ? QStringLiteral("Italic")
                                       : QStringLiteral("Regular");
  return QStringLiteral(":/katex/KaTeX_%1-%2.ttf").arg(face.family, style);
}

// Not every family comes in every style.
QString fileFor(const MathFace& face) {
  for (const auto& [bold, italic] :
       {std::pair{face.bold, face.italic}, {face.bold, false}, {false, face.italic}, {false, false}, {false, true}})
    if (const QString file = fileOf(face, bold, italic); QFile::exists(file)) return file;
  return {};
}

}  // namespace

QRawFont MathFonts::font(const MathFace& face, qreal pixels) {
  const QString file = fileFor(face);
  auto found = m_fonts.find(file);
  if (found == m_fonts.end()) found = m_fonts.insert(file, QRawFont(file, pixels, QFont::PreferNoHinting));
  QRawFont sized = *found;
  sized.setPixelSize(pixels);
  return sized;
}

std::optional<MathShape> MathFonts::text(const QString& text, const MathFace& face, qreal pixels) {
  MathShape shape;
  const QRawFont own = font(face, pixels);
  if (!own.isValid()) return {};
  for (const uint code : text.toUcs4()) {
    if (code == 0x200B) continue;  // zero-width space: KaTeX gives empty boxes a line with it
    const auto letter = static_cast<char32_t>(code == 0xA0 ? 0x20 : code);
    const QString one = QString::fromUcs4(&letter, 1);
    QRawFont used = own;
    auto glyphs = used.glyphIndexesForString(one);
    if (glyphs.isEmpty() || glyphs[0] == 0) {
      QFont other;
      other.setPixelSize(static_cast<int>(pixels));
      used = QRawFont::fromFont(other);
      used.setPixelSize(pixels);
      glyphs = used.glyphIndexesForString(one);
      if (glyphs.isEmpty() || glyphs[0] == 0) return {};
    }
    MathStroke stroke;
    stroke.path = used.pathForGlyph(glyphs[0]).translated(shape.width, 0);
    if (!stroke.path.isEmpty()) shape.strokes.push_back(std::move(stroke));
    shape.width += used.advancesForGlyphIndexes(glyphs).value(0).x();
  }
  return shape;
}

}  // namespace minerva::app
