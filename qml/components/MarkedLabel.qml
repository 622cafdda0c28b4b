import QtQuick
import Minerva.Theme

// A label with some words highlighted. `html` is escaped text with <b> around these words, as in ConversationListModel's
// excerpts and PaletteModel's titles; use Label for everything else.
Label {
    required property string html

    text: Theme.marked(html)
    textFormat: Text.StyledText
    Accessible.name: html.replace(/<[^>]*>/g, "")
        .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, "\"").replace(/&amp;/g, "&")
}
