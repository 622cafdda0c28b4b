import QtQuick
import Minerva.Theme

// A line with some of its words marked. `html` is text that was escaped, with <b> around what is marked, as
// ConversationListModel's excerpts and PaletteModel's titles are; Label is for everything else.
Label {
    required property string html

    text: Theme.marked(html)
    textFormat: Text.StyledText
    Accessible.name: html.replace(/<[^>]*>/g, "")
        .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, "\"").replace(/&amp;/g, "&")
}
