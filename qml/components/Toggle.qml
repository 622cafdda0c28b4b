import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

T.Switch {
    id: toggle

    implicitWidth: text === "" ? indicator.width : contentItem.implicitWidth  // includes the indicator
    implicitHeight: Theme.hit
    focusPolicy: Qt.StrongFocus
    spacing: Theme.space(2)
    Accessible.name: text

    indicator: Rectangle {
        x: toggle.mirrored ? toggle.width - width : 0
        y: (toggle.height - height) / 2
        width: Theme.space(9)
        height: Theme.space(5)
        radius: height / 2
        color: toggle.checked ? Theme.colors.accent : Theme.colors.sunken
        border.width: toggle.checked ? 0 : 1
        border.color: Theme.colors.faint
        Rectangle {
            x: toggle.checked !== toggle.mirrored ? parent.width - width - Theme.space(0.75) : Theme.space(0.75)
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.space(3.5)
            height: width
            radius: width / 2
            color: toggle.checked ? Theme.colors.accentInk : Theme.colors.faint
            Behavior on x { NumberAnimation { duration: Theme.motion } }
        }
        FocusRing { shown: toggle.visualFocus; radius: parent.radius + 2 }
    }
    contentItem: PlainText {
        leftPadding: toggle.mirrored ? 0 : toggle.indicator.width + toggle.spacing
        rightPadding: toggle.indicator.width + toggle.spacing - leftPadding
        text: toggle.text
        color: Theme.colors.text
        font.family: Theme.sans
        font.pixelSize: Theme.bodySize
        horizontalAlignment: Text.AlignLeft
        verticalAlignment: Text.AlignVCenter
    }
}
