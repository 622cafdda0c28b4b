// Where rich text, as markdown.h makes it (inline tags, entities, single spaces), may be cut so that both parts stand alone.
#pragma once

#include <QString>
#include <QStringList>

namespace minerva::app {

// What is before `end` stands above; what follows, with the tags that are open there before it, begins at `begin`. A space or a
// break between them belongs to neither.
struct HtmlCut {
  qsizetype end = 0, begin = 0;
  QStringList openTags;  // outermost first
};

// The cut before the given character of what html.mid(from) shows, the first of a line; openTags: those open at `from`. A tag
// shows nothing, an entity is one character, a run of spaces is one. Past the end: where the last word begins. `end` is `from`
// if there is nothing before the character.
[[nodiscard]] HtmlCut cutHtml(QStringView html, qsizetype from, QStringList openTags, int character);

}  // namespace minerva::app
