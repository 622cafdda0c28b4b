import QtQuick

// A label that elides long text; the tooltip then shows the whole text.
Label {
    id: label

    property string whole: text
    elide: Text.ElideMiddle
    HoverHandler { id: hover; enabled: label.truncated || label.whole !== label.text }
    Tip { visible: hover.enabled && hover.hovered; text: label.whole }
}
