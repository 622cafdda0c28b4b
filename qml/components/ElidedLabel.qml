import QtQuick

// A label that may be too long for its place; then the whole text is in the tooltip.
Label {
    id: label

    property string whole: text
    elide: Text.ElideMiddle
    HoverHandler { id: hover; enabled: label.truncated || label.whole !== label.text }
    Tip { visible: hover.enabled && hover.hovered; text: label.whole }
}
