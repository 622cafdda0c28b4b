import QtQuick
import Minerva.Theme

// A small coloured word: a format, a verdict, a device. `ink` is the text colour, `ground` the background.
Rectangle {
    id: tag

    required property string text
    property color ink: Theme.colors.muted
    property color ground: Theme.colors.sunken
    property real maximumWidth: Infinity

    implicitWidth: Math.min(maximumWidth, label.implicitWidth + Theme.space(3.5))
    implicitHeight: label.implicitHeight + Theme.space(1)
    radius: Theme.tagRadius
    color: ground
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    PlainText {
        id: label
        anchors.centerIn: parent
        width: Math.min(implicitWidth, tag.width - Theme.space(2.5))
        text: tag.text
        color: tag.ink
        font.family: Theme.sans
        font.pixelSize: Theme.labelSize
        font.weight: Font.DemiBold
        elide: Text.ElideRight
    }
}
