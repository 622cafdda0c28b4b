import QtQuick
import Minerva.Theme

// The visible focus: put it inside a control and bind `shown` to visualFocus.
Rectangle {
    property bool shown: false
    property real around: 2

    anchors.fill: parent
    anchors.margins: -around
    radius: Theme.radius + around
    color: "transparent"
    border.width: shown ? Theme.focusWidth : 0
    border.color: Theme.colors.accent
    visible: shown
}
