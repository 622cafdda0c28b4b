import QtQuick
import Minerva.Theme

// The focus indicator, created on demand: put it into a control and bind `shown` to visualFocus.
Loader {
    id: ring

    property bool shown: false
    property real around: 2
    property real radius: Theme.radius + around

    anchors.fill: parent
    anchors.margins: -around
    active: shown
    sourceComponent: Rectangle {
        radius: ring.radius
        color: "transparent"
        border.width: Theme.focusWidth
        border.color: Theme.colors.accent
    }
}
