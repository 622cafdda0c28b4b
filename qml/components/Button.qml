import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A button with text. `kind`: "main" (primary action), "plain" (outlined), "quiet" (text only), "danger".
T.Button {
    id: button

    property string kind: "plain"
    property string iconName: ""
    property bool iconAtEnd: false
    property string tip: ""
    readonly property color ink: !enabled ? Theme.colors.faint :
        kind === "main" ? Theme.colors.accentInk :
        kind === "danger" ? Theme.colors.bad :
        kind === "quiet" ? Theme.colors.muted : Theme.colors.text

    implicitWidth: Math.max(Theme.hit, contentItem.implicitWidth + leftPadding + rightPadding)
    implicitHeight: Math.max(Theme.hit, contentItem.implicitHeight + topPadding + bottomPadding)
    horizontalPadding: Theme.space(kind === "quiet" ? 2 : 4)
    verticalPadding: Theme.space(1.5)
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.name: text
    Accessible.description: tip

    contentItem: PlainText {
        id: label
        readonly property bool iconRight: button.iconAtEnd !== button.mirrored
        readonly property real beside: icon.active && button.text !== "" ? icon.width + Theme.space(1.5) : icon.active ? icon.width : 0
        leftPadding: iconRight ? 0 : beside
        rightPadding: iconRight ? beside : 0
        text: button.text
        color: button.hovered && button.kind === "quiet" && button.enabled ? Theme.colors.text : button.ink
        font.family: Theme.sans
        font.pixelSize: button.kind === "quiet" ? Theme.noteSize : Theme.bodySize
        font.weight: button.kind === "main" ? Font.Medium : Font.Normal
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        elide: Text.ElideRight
        Loader {
            id: icon
            active: button.iconName !== ""
            x: Math.round(label.iconRight ?
                (label.width + label.contentWidth + label.beside) / 2 - width :
                (label.width - label.contentWidth - label.beside) / 2)
            y: Math.round((label.height - height) / 2)
            sourceComponent: Icon {
                icon: button.iconName
                size: Math.round((button.iconAtEnd ? 14 : 16) * Theme.scale)
                color: label.color
            }
        }
    }
    // Created on demand for quiet buttons, because each reply has up to seven: background, focus ring and tooltip.
    background: Loader {
        active: button.kind !== "quiet" || button.hovered || button.down || button.visualFocus
        sourceComponent: Rectangle {
            radius: Theme.radius
            color: button.kind === "main" ? (button.enabled ? Theme.colors.accent : Theme.colors.sunken) :
                button.down ? Theme.colors.line :
                button.hovered ? Theme.colors.sunken :
                button.kind === "quiet" ? "transparent" : Theme.colors.surface
            opacity: button.kind === "main" && button.hovered && button.enabled ? (button.down ? 0.85 : 0.93) : 1
            border.width: button.kind === "plain" || button.kind === "danger" ? 1 : 0
            border.color: Theme.colors.line
            FocusRing { shown: button.visualFocus }
            Tip { visible: button.tip !== "" && button.hovered; over: button; text: button.tip }
        }
    }
}
