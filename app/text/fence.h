// The first or last line of a block of code in Markdown, as CommonMark has it; any indentation counts as none.
#pragma once

#include <QStringView>

namespace minerva::app {

inline qsizetype indentOf(QStringView line) {
  qsizetype i = 0;
  while (i < line.size() && (line[i] == u' ' || line[i] == u'\t')) ++i;
  return i;
}

struct Fence {
  QChar mark{};
  qsizetype length = 0;  // 0: the line is no fence
  bool bare = false;     // no info string: may be a closing fence

  [[nodiscard]] bool closes(const Fence& opening) const { return bare && mark == opening.mark && length >= opening.length; }
};

inline Fence fenceOf(QStringView line) {
  line = line.mid(indentOf(line));
  if (line.isEmpty() || (line[0] != u'`' && line[0] != u'~')) return {};
  Fence fence{.mark = line[0]};
  while (fence.length < line.size() && line[fence.length] == fence.mark) ++fence.length;
  const QStringView rest = line.mid(fence.length);
  if (fence.length < 3 || (fence.mark == u'`' && rest.contains(u'`'))) return {};
  fence.bare = rest.trimmed().isEmpty();
  return fence;
}

// Whether the beginning of a line is within fenced code, asked of one text in ascending order.
class FencedCode {
 public:
  explicit FencedCode(QStringView text) : m_text(text) {}
  [[nodiscard]] bool contains(qsizetype at) {
    while (m_line < at) {
      const qsizetype newline = m_text.indexOf(u'\n', m_line), end = newline < 0 ? m_text.size() : newline;
      const Fence fence = fenceOf(m_text.mid(m_line, end - m_line));
      if (m_opening.length == 0) m_opening = fence;
      else if (fence.closes(m_opening)) m_opening = {};
      m_line = end + 1;
    }
    return m_opening.length > 0;
  }

 private:
  QStringView m_text;
  qsizetype m_line = 0;
  Fence m_opening;
};

}  // namespace minerva::app
