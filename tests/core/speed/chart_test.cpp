// Charts are well-formed XML, figures lie where the axes say, and any text may be in them.
#include "core/speed/chart.h"
#include "core/speed/document.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minerva::speed {
namespace {

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  [[nodiscard]] double number(const std::string& attribute) const { return std::stod(attributes.at(attribute)); }
  [[nodiscard]] bool is(std::string_view style) const {
    const auto found = attributes.find("class");
    return found != attributes.end() && (" " + found->second + " ").find(" " + std::string(style) + " ") != std::string::npos;
  }
};

// A strict reader of the XML that charts may use: elements, quoted attributes, text with the five entities. Throws what is wrong.
class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : m_text(text) {}
  std::vector<Element> read() {
    element();
    space();
    if (m_at != m_text.size()) wrong("more than one root");
    return std::move(m_elements);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw std::runtime_error(what + " at " + std::string(m_text.substr(std::min(m_at, m_text.size()), 60)));
  }
  [[nodiscard]] bool sees(std::string_view token) const { return m_text.substr(m_at).starts_with(token); }
  void expect(std::string_view token) {
    if (!sees(token)) wrong("expected " + std::string(token));
    m_at += token.size();
  }
  void space() {
    while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) ++m_at;
  }
  std::string name() {
    const std::size_t from = m_at;
    while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '-')) ++m_at;
    if (m_at == from) wrong("expected a name");
    return std::string(m_text.substr(from, m_at - from));
  }
  std::string characters(char end) {
    std::string out;
    while (m_at < m_text.size() && m_text[m_at] != end) {
      const char c = m_text[m_at];
      if (c == '<' || (static_cast<unsigned char>(c) < 32 && c != '\n')) wrong("a character that must be escaped");
      if (c != '&') {
        out += c;
        ++m_at;
        continue;
      }
      bool known = false;
      for (const auto& [entity, character] : {std::pair{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}) {
        if (!sees(entity)) continue;
        m_at += std::string_view(entity).size();
        out += character;
        known = true;
        break;
      }
      if (!known) wrong("an ampersand that is no entity");
    }
    return out;
  }
  void element() {
    expect("<");
    const std::size_t index = m_elements.size();
    m_elements.push_back({name(), {}, {}});
    for (space(); !sees(">") && !sees("/>"); space()) {
      const std::string attribute = name();
      expect("=\"");
      if (!m_elements[index].attributes.emplace(attribute, characters('"')).second) wrong("an attribute twice");
      expect("\"");
    }
    if (sees("/>")) return expect("/>");
    expect(">");
    for (std::string text = characters('<');; text = characters('<')) {
      m_elements[index].text += text;
      if (sees("</")) break;
      if (m_at >= m_text.size()) wrong("an element without its end");
      element();
    }
    expect("</");
    if (name() != m_elements[index].name) wrong("the end of another element");
    expect(">");
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::vector<Element> m_elements;
};

std::vector<Element> withClass(const std::vector<Element>& all, std::string_view style) {
  std::vector<Element> out;
  for (const Element& element : all)
    if (element.is(style)) out.push_back(element);
  return out;
}

// A value to a pixel, from the ticks as a reader sees them: the text of two ticks and where they stand.
struct Scale {
  double value0, pixel0, value1, pixel1;
  [[nodiscard]] double at(double value) const { return pixel0 + (value - value0) * (pixel1 - pixel0) / (value1 - value0); }
};
Scale scaleOf(const std::vector<Element>& all, const char* ticks, const char* coordinate, double shift) {
  const std::vector<Element> found = withClass(all, ticks);
  EXPECT_GE(found.size(), 2U);
  return {std::stod(found.front().text), found.front().number(coordinate) + shift, std::stod(found.back().text),
          found.back().number(coordinate) + shift};
}

Chart barChart() {
  return {.kind = ChartKind::bars,
          .title = "Speed",
          .note = "measured here",
          .xTitle = "batch",
          .yTitle = "tokens/s",
          .labels = {"1", "2", "4"},
          .x = {},
          .series = {{"ours", {12.5, 25.0, 47.0}}, {"theirs", {10.0, std::nullopt, 0.0}}}};
}

TEST(Chart, BarsAreAsHighAsTheirValues) {
  const std::vector<Element> all = XmlReader(toSvg(barChart())).read();
  const Scale y = scaleOf(all, "tick-y", "y", -4);  // a tick's text stands on a line four pixels lower
  const std::vector<Element> bars = withClass(all, "bar");
  ASSERT_EQ(bars.size(), 5U);
  const std::vector<double> values{12.5, 10.0, 25.0, 47.0, 0.0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(bars[i].number("y"), y.at(values[i]), 0.02) << i;
    EXPECT_NEAR(bars[i].number("y") + bars[i].number("height"), y.at(0), 0.02) << i;
  }
  // Beside each other in their group, groups in order.
  for (std::size_t i = 1; i < bars.size(); ++i)
    EXPECT_LE(bars[i - 1].number("x") + bars[i - 1].number("width"), bars[i].number("x") + 0.01) << i;
  const std::vector<Element> groups = withClass(all, "tick-x");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_NEAR(groups[0].number("x"), bars[1].number("x"), 0.02) << "the middle of two bars is their group's";
  EXPECT_TRUE(bars[0].is("s0") && bars[1].is("s1") && bars[2].is("s0"));
}

TEST(Chart, PointsOfLinesLieAtTheirValues) {
  const Chart chart{.kind = ChartKind::lines,
                    .title = "t",
                    .note = "",
                    .xTitle = "x",
                    .yTitle = "y",
                    .labels = {},
                    .x = {1, 8, 32},
                    .series = {{"a", {3.0, 700.0, 1234.5}}, {"b", {5.0, std::nullopt, 6.0}}}};
  const std::vector<Element> all = XmlReader(toSvg(chart)).read();
  const Scale x = scaleOf(all, "tick-x", "x", 0), y = scaleOf(all, "tick-y", "y", -4);
  const std::vector<Element> points = withClass(all, "point");
  ASSERT_EQ(points.size(), 5U);
  const std::vector<std::pair<double, double>> values{{1, 3}, {8, 700}, {32, 1234.5}, {1, 5}, {32, 6}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(points[i].number("cx"), x.at(values[i].first), 0.02) << i;
    EXPECT_NEAR(points[i].number("cy"), y.at(values[i].second), 0.02) << i;
  }
  const std::vector<Element> paths = withClass(all, "line");
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0].attributes.at("d").find('M', 1), std::string::npos);
  EXPECT_NE(paths[1].attributes.at("d").find('M', 1), std::string::npos) << "a gap is not bridged";
}

TEST(Chart, LegendNamesEachSeriesInItsColour) {
  const std::vector<Element> all = XmlReader(toSvg(barChart())).read();
  const std::vector<Element> names = withClass(all, "legend");
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].text, "ours");
  EXPECT_EQ(names[1].text, "theirs");
  EXPECT_LT(names[0].number("x"), names[1].number("x"));
}

TEST(Chart, AnyTextIsEscaped) {
  Chart chart = barChart();
  const std::string evil = "</text><script>alert('&\"')</script>\x01\xff\xef\xbf\xbe ]]> \u00e9";
  chart.title = chart.note = chart.xTitle = chart.yTitle = evil;
  chart.labels = {evil, evil, evil};
  chart.series[0].name = evil;
  const std::string svg = toSvg(chart);
  for (const Element& element : XmlReader(svg).read()) EXPECT_NE(element.name, "script");
  EXPECT_EQ(svg.find("\xef\xbf\xbe"), std::string::npos) << "U+FFFE is no character of XML";
  EXPECT_NE(svg.find("\u00e9"), std::string::npos);
}

TEST(Chart, FollowsTheReadersScheme) {
  const std::string svg = toSvg(barChart());
  EXPECT_NE(svg.find("@media (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find("http"), svg.find("http://www.w3.org/2000/svg")) << "nothing is loaded";
  EXPECT_EQ(svg.rfind("http"), svg.find("http"));
}

TEST(Chart, NothingAndValuesThatAreNoneAreCharts) {
  for (const ChartKind kind : {ChartKind::bars, ChartKind::lines}) {
    Chart chart{.kind = kind, .title = {}, .note = {}, .xTitle = {}, .yTitle = {}, .labels = {}, .x = {}, .series = {}};
    EXPECT_NO_THROW(XmlReader(toSvg(chart)).read());
    chart.labels = {"a", "b", "c", "d"};
    chart.x = {0, 1, 2, 3};
    const double infinite = std::numeric_limits<double>::infinity();
    chart.series = {{"none", {std::nan(""), infinite, -1.0, std::nullopt}}, {"short", {2.0}}};
    const std::string svg = toSvg(chart);
    EXPECT_NO_THROW(XmlReader(svg).read());
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(Chart, SeveralStandBelowEachOther) {
  const std::vector<Chart> charts{barChart(), barChart()};
  const std::vector<Element> all = XmlReader(toSvg(charts)).read();
  EXPECT_EQ(withClass(all, "bar").size(), 2 * withClass(XmlReader(toSvg(charts[0])).read(), "bar").size());
  std::vector<std::string> places;
  for (const Element& element : all)
    if (element.name == "g") places.push_back(element.attributes.at("transform"));
  const double height = XmlReader(toSvg(charts[0])).read().front().number("height");
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(std::stod(places[0].substr(12)), 0);
  EXPECT_NEAR(std::stod(places[1].substr(12)), height, 0.11);
  EXPECT_NEAR(all.front().number("height"), 2 * height, 0.2);
}

TEST(Chart, TicksAreRound) {
  for (const auto& [most, step] : std::vector<std::pair<double, double>>{
           {5, 1}, {5.1, 2}, {47, 10}, {50, 10}, {51, 20}, {1234.5, 500}, {0.03, 0.01}, {0, 1}, {-3, 1}, {1e-300, 2e-301}}) {
    EXPECT_NEAR(tickStep(most), step, 1e-9 * step) << most;
  }
  EXPECT_EQ(tickStep(std::nan("")), 1);
}

TEST(Document, CellsDoNotBreakTheTable) {
  EXPECT_EQ(markdownTable({"a", "b"}, {{"1|2", "x\ny"}, {"3"}}), "| a | b |\n|---|---|\n| 1\\|2 | x\uFFFDy |\n| 3 |  |\n");
}

TEST(Document, FiguresHaveThreeDigits) {
  for (const auto& [value, text] : std::vector<std::pair<double, const char*>>{
           {0, "0.00"}, {1.234, "1.23"}, {9.996, "10.0"}, {45.67, "45.7"}, {99.96, "100"}, {12345.6, "12346"}})
    EXPECT_EQ(figure(value), text);
}

}  // namespace
}  // namespace minerva::speed
