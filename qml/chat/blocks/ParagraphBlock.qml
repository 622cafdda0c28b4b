import QtQuick
import Minerva.Theme

// Rich text that can be selected. The caret shows where a reply in progress goes on.
TextEdit {
    id: edit

    required property string html
    property bool caret: false
    property int level: 0  // 1..6: a heading

    readonly property real size: level === 0 ? Theme.bodySize : [20, 17, 15, 14, 14, 14][level - 1] * Theme.scale

    text: "<style>a{color:" + Theme.colors.accent + "} code{font-family:'" + Theme.mono + "';font-size:" + Math.round(Theme.codeSize)
          + "px;background-color:" + Theme.colors.sunken + "}</style><p style=\"line-height:"
          + Math.round(100 * (level === 0 ? Theme.lineFactor : Math.max(1, Theme.lineFactor * 0.85))) + "%;margin:0\">" + html + "</p>"
    textFormat: TextEdit.RichText
    wrapMode: TextEdit.Wrap
    readOnly: true
    selectByMouse: true
    activeFocusOnPress: true
    color: Theme.colors.text
    selectionColor: Theme.colors.accent
    selectedTextColor: Theme.colors.accentInk
    font.family: Theme.sans
    font.pixelSize: size
    font.weight: level > 0 ? Font.DemiBold : Font.Normal
    onLinkActivated: link => Qt.openUrlExternally(link)
    Accessible.role: level > 0 ? Accessible.Heading : Accessible.Paragraph
    Accessible.name: edit.getText(0, edit.length)

    HoverHandler { cursorShape: edit.hoveredLink !== "" ? Qt.PointingHandCursor : Qt.IBeamCursor }

    Rectangle {
        readonly property rect place: (edit.contentHeight, edit.positionToRectangle(edit.length))
        visible: edit.caret
        x: place.x + 2
        y: place.y + place.height - height - 1
        width: 2
        height: Math.min(place.height, Theme.bodySize * 1.3)
        color: Theme.colors.accent
    }
}
