import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A thin scroll bar, more visible on hover.
T.ScrollBar {
    id: bar

    implicitWidth: Theme.space(2.5)
    implicitHeight: Theme.space(2.5)
    padding: Theme.space(0.75)
    minimumSize: 0.06
    visible: policy !== T.ScrollBar.AlwaysOff && size < 1

    contentItem: Rectangle {
        radius: Math.min(width, height) / 2
        color: bar.pressed ? Theme.colors.muted : bar.hovered ? Theme.colors.faint : Theme.colors.line
    }
}
