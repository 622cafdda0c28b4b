#include "app/math/inline_math.h"

#include "app/math/math_cache.h"
#include "app/math/math_spans.h"

#include <QFontMetrics>
#include <QPainter>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QUrl>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace minerva::app {
namespace {

const QLatin1String opens("<code title=\"math\">"), closes("</code>");
const QLatin1String scheme("math:");

QString imageName(const QString& source) { return scheme + QString::fromLatin1(source.toUtf8().toHex()); }
QString sourceOf(const QString& name) { return QString::fromUtf8(QByteArray::fromHex(name.mid(scheme.size()).toLatin1())); }

// Qt centres such an image at a quarter of the x-height above the baseline. Padding above or below the picture puts its
// baseline onto the text's.
QImage onBaseline(const MathPicture& picture, const QFont& font, double ratio, int& height) {
  const double lift = QFontMetrics(font).xHeight() / 2.0;
  const double above = picture.baseline, below = picture.height - picture.baseline;
  height = static_cast<int>(std::ceil(std::max(2 * above - lift, 2 * below + lift)));
  const double top = (height + lift) / 2 - above;
  QImage image(static_cast<int>(std::ceil(picture.width * ratio)), static_cast<int>(std::ceil(height * ratio)),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QImage formula = picture.image;
  formula.setDevicePixelRatio(1);
  QPainter(&image).drawImage(0, std::max(0, static_cast<int>(std::round(top * ratio))), formula);
  image.setDevicePixelRatio(ratio);
  return image;
}

// Formulas cannot be broken across lines, so one wider than the line is scaled down.
MathPicture narrowed(const MathPicture& picture, double width, double ratio) {
  const double share = width / picture.width;
  MathPicture small{.image = picture.image,
                    .width = width,
                    .height = std::ceil(picture.height * share),
                    .baseline = picture.baseline * share,
                    .problem = {}};
  small.image.setDevicePixelRatio(1);
  small.image = small.image.scaled(static_cast<int>(width * ratio), static_cast<int>(std::round(picture.height * share * ratio)),
                                   Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  return small;
}

QString unescaped(QString html) {
  return html.replace(QLatin1String("&lt;"), QLatin1String("<"))
      .replace(QLatin1String("&gt;"), QLatin1String(">"))
      .replace(QLatin1String("&quot;"), QLatin1String("\""))
      .replace(QLatin1String("&amp;"), QLatin1String("&"));
}

}  // namespace

bool hasFormulas(const QString& html) { return html.contains(opens); }

bool showFormulas(QTextDocument& document, const QString& before, const QString& html, const QString& after, const QColor& color,
                  double ratio) {
  const QFont font = document.defaultFont();
  const double room = std::floor(document.textWidth() - 2 * document.documentMargin()) - 1;  // negative: no line wrapping
  std::vector<std::pair<QString, QImage>> images;
  QString shown = before;
  bool all = true;
  qsizetype from = 0;
  for (qsizetype at = html.indexOf(opens); at >= 0; at = html.indexOf(opens, from)) {
    const qsizetype end = html.indexOf(closes, at);
    if (end < 0) break;
    shown += QStringView(html).mid(from, at - from);
    from = end + closes.size();
    const QString source = unescaped(html.mid(at + opens.size(), end - at - opens.size()));
    const MathSpan span = texOf(source);
    const double pixels = font.pixelSize() > 0 ? font.pixelSize() : QFontMetrics(font).height() / 1.2;
    const MathPicture* picture = MathCache::instance().find({span.tex, span.display, pixels, color, ratio});
    if (picture == nullptr || picture->image.isNull()) {
      all = all && picture != nullptr;
      shown += QStringView(html).mid(at, from - at);
      continue;
    }
    const MathPicture fitting = room > 0 && picture->width > room ? narrowed(*picture, room, ratio) : *picture;
    int height = 0;
    const QImage image = onBaseline(fitting, font, ratio, height);
    images.emplace_back(imageName(source), image);
    shown += QStringLiteral("<img src=\"%1\" width=\"%2\" height=\"%3\" style=\"vertical-align:middle\">")
                 .arg(images.back().first)
                 .arg(static_cast<int>(fitting.width))
                 .arg(height);
  }
  shown += QStringView(html).mid(from);
  for (const auto& [name, image] : images) document.addResource(QTextDocument::ImageResource, QUrl(name), image);
  document.setHtml(shown + after);
  return all;
}

QString textWithFormulas(const QTextDocument& document, int from, int to) {
  QString text;
  for (QTextBlock block = document.findBlock(from); block.isValid() && block.position() < to; block = block.next()) {
    if (!text.isEmpty()) text += u'\n';
    for (auto part = block.begin(); !part.atEnd(); ++part) {
      const QTextFragment fragment = part.fragment();
      const int start = std::max(from, fragment.position()), end = std::min(to, fragment.position() + fragment.length());
      if (start >= end) continue;
      const QTextImageFormat image = fragment.charFormat().toImageFormat();
      if (image.isValid() && image.name().startsWith(scheme))
        for (int i = start; i < end; ++i) text += sourceOf(image.name());
      else
        text +=
            fragment.text().mid(start - fragment.position(), end - start).replace(QChar::LineSeparator, u'\n').replace(QChar::Nbsp, u' ');
    }
  }
  return text;
}

}  // namespace minerva::app
