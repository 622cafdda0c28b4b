import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

T.ScrollBar {
    id: bar

    implicitWidth: Theme.space(2.5)
    implicitHeight: Theme.space(2.5)
    padding: Theme.space(0.5)
    minimumSize: 0.06
    visible: policy !== T.ScrollBar.AlwaysOff && size < 1

    contentItem: Rectangle {
        radius: width / 2
        color: bar.pressed || bar.hovered ? Theme.colors.faint : Theme.colors.line
    }
}
