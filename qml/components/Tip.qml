import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// The tooltip of every control. Text may hold a shortcut after two spaces.
T.ToolTip {
    id: tip

    delay: 500
    timeout: 8000
    margins: Theme.space(2)
    horizontalPadding: Theme.space(2.5)
    verticalPadding: Theme.space(1.5)
    x: parent ? (parent.width - implicitWidth) / 2 : 0
    y: parent ? parent.height + Theme.space(1.5) : 0
    implicitWidth: Math.min(Theme.space(80), contentItem.implicitWidth + leftPadding + rightPadding)
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent | T.Popup.CloseOnReleaseOutsideParent

    contentItem: Text {
        text: tip.text
        color: Theme.colors.bg
        font.family: Theme.sans
        font.pixelSize: Theme.labelSize
        wrapMode: Text.Wrap
    }
    background: Rectangle {
        color: Theme.colors.text
        radius: Theme.tagRadius
    }
}
