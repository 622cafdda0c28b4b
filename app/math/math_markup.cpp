#include "app/math/math_markup.h"

#include "app/math/math_node.h"

#include <algorithm>
#include <array>

namespace minerva::app {
namespace {

constexpr double katexSize = 1.21;  // relative to the surrounding text, as in katex.css
constexpr std::array sizes{0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.44, 1.728, 2.074, 2.488};

enum class Align { left, center, right };

// Properties inherited by boxes.
struct Context {
  double em = 16;  // pixels
  MathFace face;
  QColor color;
  Align align = Align::left;
  double room = 0;  // width of stretched content; 0: unknown yet
};

struct FaceRow {
  const char* name;
  const char* family;  // null: unchanged
  int bold, italic;    // -1: unchanged
};

constexpr FaceRow faces[] = {{"mathnormal", "Math", 0, 1},      {"mathit", "Main", 0, 1},        {"mathrm", "Main", 0, 0},
                             {"textrm", "Main", -1, -1},        {"mathbf", "Main", 1, 0},        {"boldsymbol", "Math", 1, 1},
                             {"textbf", nullptr, 1, -1},        {"textit", nullptr, -1, 1},      {"amsrm", "AMS", 0, 0},
                             {"mathbb", "AMS", 0, 0},           {"textbb", "AMS", 0, 0},         {"mathcal", "Caligraphic", 0, 0},
                             {"mathfrak", "Fraktur", 0, 0},     {"textfrak", "Fraktur", 0, 0},   {"mathtt", "Typewriter", 0, 0},
                             {"texttt", "Typewriter", -1, -1},  {"mathscr", "Script", 0, 0},     {"textscr", "Script", 0, 0},
                             {"mathsf", "SansSerif", 0, 0},     {"textsf", "SansSerif", -1, -1}, {"mathboldsf", "SansSerif", 1, 0},
                             {"textboldsf", "SansSerif", 1, 0}, {"mathitsf", "SansSerif", 0, 1}, {"textitsf", "SansSerif", 0, 1},
                             {"mainrm", "Main", 0, 0},          {"small-op", "Size1", 0, 0},     {"large-op", "Size2", 0, 0},
                             {"delim-size1", "Size1", 0, 0},    {"delim-size4", "Size4", 0, 0},  {"mathboldfrak", "Fraktur", 1, 0},
                             {"textboldfrak", "Fraktur", 1, 0}};

constexpr std::pair<const char*, Align> aligns[] = {
    {"mfrac", Align::center},     {"op-limits", Align::center}, {"accent", Align::center},      {"munder", Align::center},
    {"mover", Align::center},     {"x-arrow", Align::center},   {"col-align-c", Align::center}, {"col-align-r", Align::right},
    {"col-align-l", Align::left}, {"msupsub", Align::left},     {"svg-align", Align::left}};

// Classes with rules of katex.css that are not implemented.
constexpr const char* notKnown[] = {"tag",       "eqn-num",      "cancel",        "sout",           "angl", "anglpad",
                                    "enclosing", "cd-arrow-pad", "cd-label-left", "cd-label-right", "img",  "htmlmathml"};

class MathLayout {
 public:
  explicit MathLayout(MathFonts& fonts) : m_fonts(fonts) {}
  Result<MathShape> lines(const MathNode& formula, const Context& context);

 private:
  Result<MathShape> box(const MathNode& node, Context context);
  Result<MathShape> row(const std::vector<MathNode>& nodes, const Context& context);
  Result<MathShape> stack(const MathNode& node, const Context& context);
  Result<MathShape> special(const MathNode& node, const Context& context, bool& known);
  MathShape drawing(const MathNode& node, const Context& context);
  MathFonts& m_fonts;
};

MathShape filledBar(double x, double y, double width, double height, const QColor& color) {
  MathShape shape;
  MathStroke stroke;
  stroke.path.addRect(QRectF(x, y, width, height));
  stroke.color = color;
  shape.strokes.push_back(std::move(stroke));
  return shape;
}

void inherit(const MathNode& node, Context& context) {
  for (const FaceRow& row : faces) {
    if (!node.is(row.name)) continue;
    if (row.family) context.face.family = QString::fromLatin1(row.family);
    if (row.bold >= 0) context.face.bold = row.bold == 1;
    if (row.italic >= 0) context.face.italic = row.italic == 1;
  }
  for (const auto& [name, align] : aligns)
    if (node.is(name)) context.align = align;
  if (node.is("delimsizing"))
    for (int size = 1; size <= 4; ++size)
      if (node.classes.contains(QStringLiteral("size%1").arg(size))) context.face = {QStringLiteral("Size%1").arg(size), false, false};
  if (node.is("sizing") || node.is("fontsize-ensurer")) {
    double from = 1, to = 1;
    for (int size = 1; size <= static_cast<int>(sizes.size()); ++size) {
      if (node.classes.contains(QStringLiteral("reset-size%1").arg(size))) from = sizes[static_cast<std::size_t>(size - 1)];
      if (node.classes.contains(QStringLiteral("size%1").arg(size))) to = sizes[static_cast<std::size_t>(size - 1)];
    }
    context.em *= to / from;
  }
  if (const QString color = node.style.value(QStringLiteral("color")); !color.isEmpty()) context.color = QColor(color);
}

double widthOf(const MathNode& node, const Context& context) {
  const QString width = node.style.value(QStringLiteral("width"));
  if (width.startsWith(QLatin1String("calc(100% - ")))
    return context.room - width.mid(12).section(QLatin1String("em"), 0, 0).toDouble() * context.em;
  if (width.endsWith(QLatin1String("em"))) return node.em("width") * context.em;
  return std::max(context.room, node.em("min-width") * context.em);
}

// A stretched SVG drawing, or one composed of parts: the ends and the pieces between them.
MathShape MathLayout::drawing(const MathNode& node, const Context& context) {
  MathShape shape;
  const double width = widthOf(node, context), height = node.em("height") * context.em;
  shape.width = width;
  for (const MathNode& child : node.children) {
    if (child.svg.isEmpty()) {  // a part
      double from = 0, share = 1;
      if (child.is("halfarrow-left")) share = 0.502;
      if (child.is("halfarrow-right")) from = 0.498, share = 0.502;
      if (child.is("brace-left")) share = 0.251;
      if (child.is("brace-center")) from = 0.25, share = 0.5;
      if (child.is("brace-right")) from = 0.749, share = 0.251;
      Context part = context;
      part.room = width * share;
      MathNode inner = child;
      inner.style.insert(QStringLiteral("height"), node.style.value(QStringLiteral("height")));
      shape.add(drawing(inner, part), width * from, 0);
      continue;
    }
    const QStringList view = child.svg.value(QStringLiteral("viewBox")).split(u' ');
    const double across = view.value(2).toDouble(), down = view.value(3).toDouble();
    const QString fit = child.svg.value(QStringLiteral("preserveAspectRatio"));
    if (across <= 0 || down <= 0) continue;
    MathStroke stroke;
    stroke.color = context.color;
    stroke.clip = QRectF(0, -height, width, height);
    const double drawn = fit == QLatin1String("none") ? width : across * height / down;
    const double x = fit.startsWith(QLatin1String("xMax"))   ? width - drawn
                     : fit.startsWith(QLatin1String("xMid")) ? (width - drawn) / 2
                                                             : 0;
    stroke.target = QRectF(x, -height, drawn, height);
    stroke.svg =
        QStringLiteral(
            "<svg xmlns='http://www.w3.org/2000/svg' width='%1' height='%2' viewBox='0 0 %1 %2' preserveAspectRatio='none'><path fill='currentColor' d='%3'/></svg>")
            .arg(across)
            .arg(down)
            .arg(child.svg.value(QStringLiteral("d")))
            .toUtf8();
    shape.strokes.push_back(std::move(stroke));
  }
  return shape;
}

bool isStretched(const MathNode& node) {
  return node.hasDrawing() || node.is("frac-line") || node.is("overline-line") || node.is("underline-line") || node.is("hline") ||
         node.is("hdashline") || node.is("stretchy") || node.is("fbox");
}

// Stacked rows, each with its own baseline offset. Stretched content becomes as wide as the widest other row.
Result<MathShape> MathLayout::stack(const MathNode& node, const Context& outer) {
  MathShape shape;
  const MathNode* first = node.child("vlist-r");
  const MathNode* list = first ? first->child("vlist") : nullptr;
  if (!list) return shape;
  struct Entry {
    const MathNode* node;
    Context context;
    MathShape inside;
    double before, after;
  };
  std::vector<Entry> entries;
  for (const MathNode& child : list->children) {
    Entry& entry = entries.emplace_back(Entry{&child, outer, {}, child.em("margin-left") * outer.em, child.em("margin-right") * outer.em});
    entry.context.room = 0;
    inherit(child, entry.context);
    MINERVA_ASSIGN(entry.inside, row(child.children, entry.context));
    shape.width = std::max(shape.width, entry.before + entry.inside.width + entry.after);
  }
  for (Entry& entry : entries) {
    const MathNode* strut = entry.node->child("pstrut");
    if (std::any_of(entry.node->children.begin(), entry.node->children.end(), isStretched)) {
      entry.context.room = shape.width;
      if (entry.node->style.contains(QStringLiteral("width"))) entry.context.room = widthOf(*entry.node, entry.context);
      MINERVA_ASSIGN(entry.inside, row(entry.node->children, entry.context));
    }
    const double spare = std::max(shape.width - entry.before - entry.inside.width - entry.after, 0.0);
    const double x = entry.before + (entry.context.align == Align::center ? spare / 2 : entry.context.align == Align::right ? spare : 0);
    shape.add(entry.inside, x, ((strut ? strut->em("height") : 0) + entry.node->em("top")) * outer.em);
  }
  return shape;
}

// Boxes with special layout rules.
Result<MathShape> MathLayout::special(const MathNode& node, const Context& context, bool& known) {
  known = true;
  const double em = context.em;
  MathShape shape;
  if (node.is("strut") || node.is("pstrut") || node.is("vlist-s")) return shape;
  if (node.is("vlist-t")) return stack(node, context);
  if (node.is("nulldelimiter")) {
    shape.width = 0.12 * em;
    return shape;
  }
  if (node.is("rule")) {
    const double width = node.em("border-right-width") * em, height = node.em("border-top-width") * em;
    shape = filledBar(0, -height - node.em("bottom") * em, width, height, context.color);
    shape.width = width;
    return shape;
  }
  if (node.is("frac-line") || node.is("overline-line") || node.is("underline-line") || node.is("hline") || node.is("hdashline")) {
    const double height = std::max(1.0, node.em("border-bottom-width") * em);
    shape = filledBar(0, -height, context.room, height, context.color);
    shape.width = context.room;
    return shape;
  }
  if (node.is("vertical-separator")) {
    const double width = std::max(1.0, node.em("border-right-width") * em), height = node.em("height") * em;
    return filledBar(-width / 2, -height - node.em("vertical-align") * em, width, height, context.color);
  }
  if (node.is("fbox") || node.is("fcolorbox")) {
    const double line = std::max(1.0, node.em("border-width") * em), height = node.em("height") * em, width = context.room;
    for (const QRectF& side : {QRectF(0, -height, width, line), QRectF(0, -line, width, line), QRectF(0, -height, line, height),
                               QRectF(width - line, -height, line, height)})
      shape.add(filledBar(side.x(), side.y(), side.width(), side.height(), context.color), 0, 0);
    shape.width = width;
    return shape;
  }
  if (node.hasDrawing() || node.is("stretchy")) return drawing(node, context);
  known = false;
  return shape;
}

Result<MathShape> MathLayout::box(const MathNode& node, Context context) {
  if (!node.text.isEmpty()) {
    auto letters = m_fonts.text(node.text, context.face, context.em);
    if (!letters)
      return fail(
          {.kind = ErrorKind::unsupported, .what = "no font contains a character of this formula", .actual = node.text.toStdString()});
    for (MathStroke& stroke : letters->strokes) stroke.color = context.color;
    return std::move(*letters);
  }
  for (const char* name : notKnown)
    if (node.is(name))
      return fail({.kind = ErrorKind::unsupported, .what = "this formula has a part that cannot be drawn", .actual = name});
  inherit(node, context);
  bool known = false;
  MINERVA_ASSIGN(MathShape inside, special(node, context, known));
  if (!known) {
    MINERVA_ASSIGN(inside, row(node.children, context));
  }
  const double em = context.em;
  const double padding = node.is("boxpad") ? 0.3 * em : node.is("x-arrow-pad") ? 0.5 * em : 0;
  const double lap = node.is("cancel-lap") ? -0.2 * em : 0;
  const double before =
      node.em("margin-left") * em + node.em("padding-left") * em + padding + lap + (node.is("root") ? 0.27777778 * em : 0);
  const double after = node.em("margin-right") * em + padding + lap - (node.is("root") ? 0.55555556 * em : 0);
  MathShape shape;
  double width = inside.width, x = before + node.em("left") * em;
  if (!known && node.style.contains(QStringLiteral("width"))) width = widthOf(node, context);
  if (node.is("llap")) x -= inside.width;
  if (node.is("clap")) x -= inside.width / 2;
  if (node.is("llap") || node.is("rlap") || node.is("clap") || (node.is("accent-body") && !node.is("accent-full"))) width = 0;
  const bool shifted = node.style.value(QStringLiteral("position")) == QLatin1String("relative") || node.is("delimcenter");
  const double lift = node.hasDrawing() || node.is("rule") || node.is("vertical-separator") ? 0 : -node.em("vertical-align") * em;
  shape.add(inside, x, (shifted ? node.em("top") * em : 0) + lift);
  shape.width = before + width + after;
  return shape;
}

Result<MathShape> MathLayout::row(const std::vector<MathNode>& nodes, const Context& context) {
  MathShape shape;
  for (const MathNode& node : nodes) {
    MINERVA_ASSIGN(const MathShape next, box(node, context));
    shape.add(next, shape.width, 0);
    shape.width += next.width;
  }
  return shape;
}

// Lays out the formula's lines; a \\ at the top level starts a new one.
Result<MathShape> MathLayout::lines(const MathNode& formula, const Context& context) {
  std::vector<std::vector<MathNode>> all(1);
  for (const MathNode& part : formula.children) {
    if (part.is("newline")) all.emplace_back();
    else all.back().push_back(part);
  }
  MathShape shape;
  double y = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    MINERVA_ASSIGN(const MathShape line, row(all[i], context));
    double height = 0.7 * context.em, depth = 0.2 * context.em;
    for (const MathNode& base : all[i])
      if (const MathNode* strut = base.child("strut")) {
        height = std::max(height, (strut->em("height") + strut->em("vertical-align")) * context.em);
        depth = std::max(depth, -strut->em("vertical-align") * context.em);
      }
    for (const MathStroke& stroke : line.strokes) {
      height = std::max(height, -stroke.bounds().top());
      depth = std::max(depth, stroke.bounds().bottom());
    }
    if (i == 0) shape.height = height;
    else y += height + 0.3 * context.em;
    shape.add(line, 0, y);
    shape.width = std::max(shape.width, line.width);
    y += depth;
  }
  shape.depth = y;
  return shape;
}

const MathNode* find(const MathNode& node, const char* name) {
  if (node.is(name)) return &node;
  for (const MathNode& child : node.children)
    if (const MathNode* found = find(child, name)) return found;
  return nullptr;
}

}  // namespace

Result<MathShape> layOut(const QString& markup, qreal pixels, MathFonts& fonts) {
  MINERVA_ASSIGN(const MathNode root, readMathMarkup(markup));
  const MathNode* formula = find(root, "katex-html");
  if (!formula) return fail({.kind = ErrorKind::corrupt, .what = "KaTeX's markup has no formula"});
  Context context;
  context.em = pixels * katexSize;
  return MathLayout(fonts).lines(*formula, context);
}

}  // namespace minerva::app
