#include "core/speed/chart.h"

#include "core/speed/document.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace minerva::speed {
namespace {

// Pixels. The plot is what lies between the axes.
constexpr double chartWidth = 800, plotLeft = 76, plotRight = 776, plotTop = 68, plotBottom = 356;
constexpr double legendTop = 420, legendLine = 20, noteLine = 15;
constexpr std::size_t colours = 8;
constexpr std::size_t mostValueLabels = 24;  // beyond that, figures over bars run into each other

constexpr const char* chartStyle = R"(<style>
text{font-family:Inter,system-ui,sans-serif;font-size:12px;fill:#1f2328}
.title{font-size:16px;font-weight:600}.small{font-size:11px}.quiet{fill:#57606a}
.back{fill:#ffffff}.grid{stroke:#d8dce2}.axis{stroke:#57606a}
.line{fill:none;stroke-width:2}
.s0{fill:#2a6fdb}.s1{fill:#c9650a}.s2{fill:#2e8b57}.s3{fill:#b83280}.s4{fill:#6b46c1}.s5{fill:#8a6d1b}.s6{fill:#0e7c86}.s7{fill:#c0392b}
.l0{stroke:#2a6fdb}.l1{stroke:#c9650a}.l2{stroke:#2e8b57}.l3{stroke:#b83280}.l4{stroke:#6b46c1}.l5{stroke:#8a6d1b}.l6{stroke:#0e7c86}.l7{stroke:#c0392b}
.l1,.l4,.l7{stroke-dasharray:7 3}.l2,.l5{stroke-dasharray:2 3}
@media (prefers-color-scheme: dark){
text{fill:#e6e8eb}.quiet{fill:#a3acb8}
.back{fill:#16181d}.grid{stroke:#343a44}.axis{stroke:#a3acb8}
.s0{fill:#6ea8ff}.s1{fill:#ffb066}.s2{fill:#6fd6a0}.s3{fill:#ff8fc7}.s4{fill:#b79cff}.s5{fill:#e0c15a}.s6{fill:#5fd0da}.s7{fill:#ff8a7a}
.l0{stroke:#6ea8ff}.l1{stroke:#ffb066}.l2{stroke:#6fd6a0}.l3{stroke:#ff8fc7}.l4{stroke:#b79cff}.l5{stroke:#e0c15a}.l6{stroke:#5fd0da}.l7{stroke:#ff8a7a}
}
</style>
)";

std::string escaped(const std::string& text) {
  const std::string clean = utf8::printable(text);
  std::string out;
  for (std::size_t at = 0; at < clean.size();) {
    const utf8::Decoded character = utf8::decode(clean, at);
    const std::string bytes = clean.substr(at, character.length);
    at += character.length;
    switch (character.codePoint) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case 0xFFFE:  // the two that XML forbids
      case 0xFFFF: utf8::append(out, utf8::replacement); break;
      default: out += bytes;
    }
  }
  return out;
}

// Cut to `most` characters.
std::string shortened(const std::string& text, std::size_t most) {
  std::string out;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count + 1 >= most && at + utf8::decode(text, at).length < text.size()) return out + "\u2026";
    const std::size_t length = utf8::decode(text, at).length;
    out += text.substr(at, length);
    at += length;
  }
  return out;
}

std::string pixels(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.2f", std::clamp(value, -1e6, 1e6));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string textAt(double x, double y, const char* anchor, const char* style, const std::string& text) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + anchor + "\" class=\"" + style + "\">" + escaped(text) +
         "</text>\n";
}

std::string lineFrom(double x1, double y1, double x2, double y2, const char* style) {
  return "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) + "\" y2=\"" + pixels(y2) + "\" class=\"" + style +
         "\"/>\n";
}

std::string tickText(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.10g", value);
  return {text.data(), static_cast<std::size_t>(length)};
}

bool isShown(const std::optional<double>& value) { return value && std::isfinite(*value) && *value >= 0; }

// An axis from 0 to a whole number of steps.
struct Axis {
  double step, most, from, to;  // values; pixels of 0 and of `most`

  Axis(double largest, double pixelFrom, double pixelTo) : step(tickStep(largest)), most(0), from(pixelFrom), to(pixelTo) {
    most = step * std::max(1.0, std::ceil(largest / step - 1e-9));
  }
  [[nodiscard]] double at(double value) const { return from + (to - from) * value / most; }
  [[nodiscard]] int ticks() const { return static_cast<int>(std::lround(most / step)); }
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : m_chart(chart), m_y(largestValue(chart), plotBottom, plotTop) {}
  // Its elements, in a picture of chartWidth; below: where the next chart may begin.
  std::string draw(double& below);

 private:
  static double largestValue(const Chart& chart) {
    double most = 0;
    for (const Series& series : chart.series)
      for (const auto& value : series.values)
        if (isShown(value)) most = std::max(most, *value);
    return most;
  }
  void frame();
  void legend();
  void bars();
  void lines();
  void note();
  [[nodiscard]] std::string tip(const Series& series, const std::string& where, double value) const {
    return "<title>" + escaped(series.name + ", " + where + ": " + figure(value)) + "</title>";
  }

  const Chart& m_chart;
  const Axis m_y;
  std::string m_out;
  double m_below = legendTop;  // where the next line of text below the plot stands
};

void Drawing::frame() {
  m_out += textAt(plotLeft, 26, "start", "title", shortened(m_chart.title, 84));
  m_out += textAt(plotLeft, plotTop - 12, "start", "small quiet", m_chart.yTitle);
  m_out += textAt(plotRight, plotBottom + 40, "end", "small quiet", m_chart.xTitle);
  for (int i = 0; i <= m_y.ticks(); ++i) {
    const double value = i * m_y.step;
    m_out += lineFrom(plotLeft, m_y.at(value), plotRight, m_y.at(value), i == 0 ? "axis" : "grid");
    m_out += textAt(plotLeft - 8, m_y.at(value) + 4, "end", "small tick-y", tickText(value));
  }
}

void Drawing::legend() {
  double x = plotLeft;
  for (std::size_t i = 0; i < m_chart.series.size(); ++i) {
    const std::string name = shortened(m_chart.series[i].name, 64);
    const double width = 40 + 6.6 * static_cast<double>(name.size());
    if (i > 0 && x + width > chartWidth) {
      x = plotLeft;
      m_below += legendLine;
    }
    m_out += "<rect x=\"" + pixels(x) + "\" y=\"" + pixels(m_below - 10) + "\" width=\"12\" height=\"12\" rx=\"2\" class=\"s" +
             std::to_string(i % colours) + "\"/>\n";
    m_out += textAt(x + 18, m_below, "start", "legend", name);
    x += width;
  }
  m_below += legendLine + 8;
}

void Drawing::bars() {
  const std::size_t groups = m_chart.labels.size(), members = m_chart.series.size();
  if (groups == 0 || members == 0) return;
  const double band = (plotRight - plotLeft) / static_cast<double>(groups);
  const double width = std::min(0.8 * band / static_cast<double>(members), 64.0);
  for (std::size_t g = 0; g < groups; ++g) {
    const double middle = plotLeft + (static_cast<double>(g) + 0.5) * band;
    const auto room = static_cast<std::size_t>(std::max(4.0, band / 6.5));
    m_out += textAt(middle, plotBottom + 18, "middle", "small tick-x", shortened(m_chart.labels[g], room));
    for (std::size_t i = 0; i < members; ++i) {
      const Series& series = m_chart.series[i];
      if (g >= series.values.size() || !isShown(series.values[g])) continue;
      const double value = *series.values[g], top = m_y.at(value);
      const double x = middle + (static_cast<double>(i) - 0.5 * static_cast<double>(members)) * width;
      m_out += "<rect x=\"" + pixels(x) + "\" y=\"" + pixels(top) + "\" width=\"" + pixels(0.92 * width) + "\" height=\"" +
               pixels(plotBottom - top) + "\" class=\"bar s" + std::to_string(i % colours) + "\">" + tip(series, m_chart.labels[g], value) +
               "</rect>\n";
      if (groups * members <= mostValueLabels) m_out += textAt(x + 0.46 * width, top - 4, "middle", "small", figure(value));
    }
  }
}

void Drawing::lines() {
  const Axis across(m_chart.x.empty() ? 0 : m_chart.x.back(), plotLeft, plotRight);
  for (int i = 0; i <= across.ticks(); ++i) {
    const double value = i * across.step;
    m_out += lineFrom(across.at(value), plotBottom, across.at(value), plotBottom + 5, "axis");
    m_out += textAt(across.at(value), plotBottom + 18, "middle", "small tick-x", tickText(value));
  }
  for (std::size_t i = 0; i < m_chart.series.size(); ++i) {
    const Series& series = m_chart.series[i];
    std::string path, points;
    bool down = false;  // the pen, lifted at gaps
    for (std::size_t k = 0; k < std::min(m_chart.x.size(), series.values.size()); ++k) {
      if (!isShown(series.values[k])) {
        down = false;
        continue;
      }
      const std::string x = pixels(across.at(m_chart.x[k])), y = pixels(m_y.at(*series.values[k]));
      path += (down ? "L" : "M") + x + " " + y;
      points += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"4\" class=\"point s" + std::to_string(i % colours) + "\">" +
                tip(series, tickText(m_chart.x[k]), *series.values[k]) + "</circle>\n";
      down = true;
    }
    if (!path.empty()) m_out += "<path d=\"" + path + "\" class=\"line l" + std::to_string(i % colours) + "\"/>\n";
    m_out += points;
  }
}

void Drawing::note() {
  constexpr std::size_t most = 118;
  std::istringstream words(m_chart.note);
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) m_out += textAt(plotLeft, m_below, "start", "small quiet", line);
    m_below += noteLine;
    line.clear();
  };
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > most) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  flush();
}

std::string Drawing::draw(double& below) {
  frame();
  legend();
  if (m_chart.kind == ChartKind::bars) bars();
  else lines();
  note();
  below = m_below;
  return std::move(m_out);
}

std::string pictureOf(const std::string& title, double heightOfAll, const std::string& content) {
  const std::string height = pixels(heightOfAll), width = pixels(chartWidth);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width +
         " " + height + "\">\n<title>" + escaped(title) + "</title>\n" + chartStyle + "<rect class=\"back\" width=\"" + width +
         "\" height=\"" + height + "\"/>\n" + content + "</svg>\n";
}

}  // namespace

double tickStep(double most) {
  if (!std::isfinite(most) || most <= 0) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(most / 5)));
  for (const double times : {1.0, 2.0, 5.0})
    if (5 * times * power >= most * (1 - 1e-9)) return times * power;
  return 10 * power;
}

std::string toSvg(const Chart& chart) {
  double below = 0;
  const std::string drawn = Drawing(chart).draw(below);
  return pictureOf(chart.title, below, drawn);
}

std::string toSvg(std::span<const Chart> charts) {
  if (charts.size() == 1) return toSvg(charts.front());
  std::string all;
  double height = 0;
  for (const Chart& chart : charts) {
    double below = 0;
    const std::string drawn = Drawing(chart).draw(below);
    all += "<g transform=\"translate(0 " + pixels(height) + ")\">\n" + drawn + "</g>\n";
    height += below;
  }
  return pictureOf(charts.empty() ? std::string() : charts.front().title, height, all);
}

}  // namespace minerva::speed
