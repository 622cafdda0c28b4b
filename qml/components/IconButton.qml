import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A button with only an icon; `tip` says what it does (with its shortcut) and is its accessible name.
T.AbstractButton {
    id: button

    required property string iconName
    required property string tip
    property string kind: "quiet"  // or "main"
    property bool tipHidden: false  // while a popup opened by the button is visible

    implicitWidth: Theme.hit
    implicitHeight: Theme.hit
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: tip

    contentItem: Item {  // the control resizes its contentItem; this keeps the icon's size
        Icon {
            anchors.centerIn: parent
            icon: button.iconName
            color: button.kind === "main" ? (button.enabled ? Theme.colors.accentInk : Theme.colors.faint) :
                !button.enabled ? Theme.colors.line :
                button.hovered ? Theme.colors.text : Theme.colors.muted
        }
    }
    background: Loader {
        active: button.kind === "main" || button.hovered || button.down || button.visualFocus
        sourceComponent: Rectangle {
            radius: Theme.radius
            color: button.kind === "main" ? (button.enabled ? Theme.colors.accent : Theme.colors.sunken) :
                button.down ? Theme.colors.line :
                button.hovered ? Theme.colors.sunken : "transparent"
            FocusRing { shown: button.visualFocus }
            Tip { visible: button.hovered && !button.tipHidden; over: button; text: button.tip }
        }
    }
}
