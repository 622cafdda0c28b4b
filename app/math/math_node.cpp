#include "app/math/math_node.h"

#include <QXmlStreamReader>

#include <algorithm>

namespace minerva::app {
namespace {

minerva::Error unknown(const QString& what) {
  return {.kind = ErrorKind::unsupported, .what = "this formula has a part that cannot be drawn", .actual = what.toStdString()};
}

void readStyle(const QString& text, MathNode& node) {
  for (const QString& part : text.split(u';', Qt::SkipEmptyParts))
    node.style.insert(part.section(u':', 0, 0).trimmed(), part.section(u':', 1).trimmed());
}

Result<void> readChildren(QXmlStreamReader& xml, MathNode& node, int depth);

Result<void> readDrawing(QXmlStreamReader& xml, MathNode& node) {
  MathNode drawing;
  for (const QXmlStreamAttribute& attribute : xml.attributes())
    drawing.svg.insert(attribute.name().toString(), attribute.value().toString());
  while (xml.readNextStartElement()) {
    if (xml.name() != QLatin1String("path") || drawing.svg.contains(QStringLiteral("d"))) return fail(unknown(xml.name().toString()));
    drawing.svg.insert(QStringLiteral("d"), xml.attributes().value(QLatin1String("d")).toString());
    xml.skipCurrentElement();
  }
  node.children.push_back(std::move(drawing));
  return {};
}

Result<void> readSpan(QXmlStreamReader& xml, MathNode& node, int depth) {
  if (depth > 200) return fail(unknown(QStringLiteral("very deep nesting")));
  MathNode span;
  span.classes = xml.attributes().value(QLatin1String("class")).toString().split(u' ', Qt::SkipEmptyParts);
  readStyle(xml.attributes().value(QLatin1String("style")).toString(), span);
  MINERVA_TRY(readChildren(xml, span, depth));
  node.children.push_back(std::move(span));
  return {};
}

Result<void> readChildren(QXmlStreamReader& xml, MathNode& node, int depth) {
  while (!xml.atEnd()) {
    switch (xml.readNext()) {
      case QXmlStreamReader::EndElement: return {};
      case QXmlStreamReader::Characters: {
        MathNode leaf;
        leaf.text = xml.text().toString();
        node.children.push_back(std::move(leaf));
        break;
      }
      case QXmlStreamReader::StartElement:
        if (xml.name() == QLatin1String("span")) {
          MINERVA_TRY(readSpan(xml, node, depth + 1));
        } else if (xml.name() == QLatin1String("svg")) {
          MINERVA_TRY(readDrawing(xml, node));
        } else {
          return fail(unknown(xml.name().toString()));
        }
        break;
      default: break;
    }
  }
  return {};
}

}  // namespace

double MathNode::em(const char* property) const {
  QString value = style.value(QLatin1String(property));
  if (value.endsWith(QLatin1String("em"))) value.chop(2);
  return value.toDouble();
}

const MathNode* MathNode::child(const char* name) const {
  const auto found = std::find_if(children.begin(), children.end(), [&](const MathNode& one) { return one.is(name); });
  return found == children.end() ? nullptr : &*found;
}

bool MathNode::hasDrawing() const {
  return std::any_of(children.begin(), children.end(), [](const MathNode& one) { return !one.svg.isEmpty(); });
}

Result<MathNode> readMathMarkup(const QString& markup) {
  QXmlStreamReader xml(markup);
  MathNode root;
  MINERVA_TRY(readChildren(xml, root, 0));
  if (xml.hasError())
    return fail({.kind = ErrorKind::corrupt, .what = "KaTeX's markup cannot be read", .actual = xml.errorString().toStdString()});
  return root;
}

}  // namespace minerva::app
