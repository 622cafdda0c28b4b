import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// The tooltip of every control, made when it is wanted: most are never seen. Text may hold a shortcut after two spaces.
// In a layout it would take a place: put it into one of the layout's items and name what it is `over`.
Loader {
    id: tip

    property string text
    property Item over: parent
    property int delay: 500
    property int timeout: 8000  // -1: as long as it is visible
    property bool beside: false  // at the right, not below

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
