import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A switch with text. `kind`: "plain", "quiet" (small, in a row of quiet buttons).
T.Switch {
    id: toggle

    property string kind: "plain"
    property string tip: ""
    readonly property bool quiet: kind === "quiet"

    implicitWidth: text === "" ? indicator.width : contentItem.implicitWidth  // includes the indicator
    implicitHeight: Theme.hit
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    spacing: Theme.space(quiet ? 1.5 : 2)
    Accessible.name: text
    Accessible.description: tip

    indicator: Rectangle {
        x: toggle.mirrored ? toggle.width - width : 0
        y: (toggle.height - height) / 2
        width: Theme.space(toggle.quiet ? 7 : 9)
        height: Theme.space(toggle.quiet ? 4 : 5)
        radius: height / 2
        color: toggle.checked ? Theme.colors.accent : Theme.colors.sunken
        border.width: toggle.checked ? 0 : 1
        border.color: Theme.colors.faint
        Rectangle {
            x: toggle.checked !== toggle.mirrored ? parent.width - width - Theme.space(0.75) : Theme.space(0.75)
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.space(toggle.quiet ? 2.5 : 3.5)
            height: width
            radius: width / 2
            color: toggle.checked ? Theme.colors.accentInk : Theme.colors.faint
            Behavior on x { NumberAnimation { duration: Theme.motion } }
        }
        FocusRing { shown: toggle.visualFocus; radius: parent.radius + 2 }
        Tip { visible: toggle.tip !== "" && toggle.hovered; over: toggle; text: toggle.tip }
    }
    contentItem: PlainText {
        leftPadding: toggle.mirrored ? 0 : toggle.indicator.width + toggle.spacing
        rightPadding: toggle.indicator.width + toggle.spacing - leftPadding
        text: toggle.text
        color: toggle.quiet && !toggle.hovered ? Theme.colors.muted : Theme.colors.text
        font.family: Theme.sans
        font.pixelSize: toggle.quiet ? Theme.noteSize : Theme.bodySize
        horizontalAlignment: Text.AlignLeft
        verticalAlignment: Text.AlignVCenter
    }
}
