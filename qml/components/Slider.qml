import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

T.Slider {
    id: slider

    implicitWidth: Theme.space(45)
    implicitHeight: Theme.hit
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus

    background: Rectangle {
        x: slider.leftPadding
        y: (slider.height - height) / 2
        width: slider.availableWidth
        height: Theme.space(1)
        radius: height / 2
        color: Theme.colors.line
        Rectangle {
            x: slider.mirrored ? parent.width - width : 0
            width: slider.position * parent.width
            height: parent.height
            radius: parent.radius
            color: Theme.colors.accent
        }
    }
    handle: Rectangle {
        x: slider.leftPadding + slider.visualPosition * (slider.availableWidth - width)
        y: (slider.height - height) / 2
        width: Theme.space(4)
        height: width
        radius: width / 2
        color: slider.pressed ? Theme.colors.accentSoft : Theme.colors.surface
        border.width: 2
        border.color: slider.enabled ? Theme.colors.accent : Theme.colors.line
        Rectangle {
            anchors { fill: parent; margins: -4 }
            radius: width / 2
            color: "transparent"
            border.width: slider.visualFocus ? Theme.focusWidth : 0
            border.color: Theme.colors.accent
        }
    }
}
