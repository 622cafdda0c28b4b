// Splits rich text from markdown.h (inline tags, entities, single spaces) so that both parts are well-formed.
#pragma once

#include <QString>
#include <QStringList>

namespace minerva::app {

// The first part ends at `end`; the second consists of openTags and the text from `begin` on. A space or line break
// between them belongs to neither.
struct HtmlCut {
  qsizetype end = 0, begin = 0;
  QStringList openTags;  // tags open at the cut, outermost first
};

// Splits html.mid(from) before the displayed character of this index, which is the first of a line. openTags: tags open
// at `from`. A tag displays nothing, an entity is one character, a run of spaces is one. Beyond the end: splits before
// the last word. `end` equals `from` if nothing is before that character.
[[nodiscard]] HtmlCut cutHtml(QStringView html, qsizetype from, QStringList openTags, int character);

}  // namespace minerva::app
