import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A tooltip, created on demand: most are never shown. A shortcut may follow the text after two spaces. As a child of a
// layout it would take up space: put it into one of the layout's items and set `over` to the item it describes.
Loader {
    id: tip

    property string text
    property Item over: parent
    property int delay: 500
    property int timeout: 8000  // -1: no timeout
    property bool beside: false  // to the right instead of below

    active: visible && Tips.openMenus === 0
    sourceComponent: T.ToolTip {
        parent: tip.over
        text: tip.text
        delay: tip.delay
        timeout: tip.timeout
        margins: Theme.space(2)
        horizontalPadding: Theme.space(2.5)
        verticalPadding: Theme.space(1.5)
        x: tip.beside ? parent.width + Theme.space(1) : (parent.width - implicitWidth) / 2
        y: tip.beside ? (parent.height - height) / 2 : parent.height + Theme.space(1.5)
        implicitWidth: Math.min(Theme.space(80), contentItem.implicitWidth + leftPadding + rightPadding)
        implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
        closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent | T.Popup.CloseOnReleaseOutsideParent
        Component.onCompleted: open()

        contentItem: PlainText {
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
}
