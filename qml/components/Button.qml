import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A button with a word. `kind`: "main" (the one main action), "plain" (outlined), "quiet" (text only), "danger".
T.Button {
    id: button

    property string kind: "plain"
    property string iconName: ""
    property bool iconAtEnd: false
    property string tip: ""
    readonly property color ink: !enabled ? Theme.colors.faint
                               : kind === "main" ? Theme.colors.accentInk
                               : kind === "danger" ? Theme.colors.bad
                               : kind === "quiet" ? Theme.colors.muted : Theme.colors.text

    implicitWidth: Math.max(Theme.hit, contentItem.implicitWidth + leftPadding + rightPadding)
    implicitHeight: Math.max(Theme.hit, contentItem.implicitHeight + topPadding + bottomPadding)
    horizontalPadding: Theme.space(kind === "quiet" ? 2 : 4)
    verticalPadding: Theme.space(1.5)
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.name: text
    Accessible.description: tip

    contentItem: Item {
        implicitWidth: label.implicitWidth + label.beside
        implicitHeight: Math.max(label.implicitHeight, icon.visible ? icon.height : 0)
        Row {
            anchors.centerIn: parent
            spacing: Theme.space(1.5)
            layoutDirection: button.iconAtEnd ? Qt.RightToLeft : Qt.LeftToRight
            Icon {
                id: icon
                visible: button.iconName !== ""
                anchors.verticalCenter: parent.verticalCenter
                icon: button.iconName === "" ? "plus" : button.iconName
                size: Math.round((button.iconAtEnd ? 14 : 16) * Theme.scale)
                color: label.color
            }
            Text {
                id: label
                readonly property real beside: icon.visible ? icon.width + parent.spacing : 0
                anchors.verticalCenter: parent.verticalCenter
                text: button.text
                width: Math.min(implicitWidth, Math.max(0, button.availableWidth - beside))
                color: button.hovered && button.kind === "quiet" && button.enabled ? Theme.colors.text : button.ink
                font.family: Theme.sans
                font.pixelSize: button.kind === "quiet" ? Theme.noteSize : Theme.bodySize
                font.weight: button.kind === "main" ? Font.Medium : Font.Normal
                elide: Text.ElideRight
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.kind === "main" ? (button.enabled ? Theme.colors.accent : Theme.colors.sunken)
             : button.down ? Theme.colors.line
             : button.hovered ? Theme.colors.sunken
             : button.kind === "quiet" ? "transparent" : Theme.colors.surface
        opacity: button.kind === "main" && button.hovered && button.enabled ? (button.down ? 0.85 : 0.93) : 1
        border.width: button.kind === "plain" || button.kind === "danger" ? 1 : 0
        border.color: Theme.colors.line
        FocusRing { shown: button.visualFocus }
    }
    Tip { visible: button.tip !== "" && button.hovered; text: button.tip }
}
