import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// An attached file of a message, with name and size. A click opens its text; Delete removes it if `removable`.
T.AbstractButton {
    id: chip

    required property string name
    required property real bytes
    property string note: Figures.bytes(bytes)
    property bool removable: false
    property real maximumWidth: Theme.space(90)
    property color ground: Theme.colors.sunken
    signal removeRequested()

    implicitWidth: Math.min(maximumWidth, Theme.space(90), row.implicitWidth + leftPadding + rightPadding)
    implicitHeight: Theme.hit
    readonly property real trailing: removable ? 0 : Theme.space(2.5)
    leftPadding: mirrored ? trailing : Theme.space(2)
    rightPadding: mirrored ? Theme.space(2) : trailing
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: qsTr("Attached file %1").arg(name)
    Accessible.description: removable ? qsTr("%1. Delete removes it").arg(note) : note
    Keys.onPressed: event => {
        if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter) chip.clicked()
        else if (chip.removable && (event.key === Qt.Key_Delete || event.key === Qt.Key_Backspace)) chip.removeRequested()
        else return
        event.accepted = true
    }

    contentItem: RowLayout {
        id: row
        spacing: Theme.space(1.5)
        Icon { icon: "file"; size: Math.round(16 * Theme.scale) }
        Label {
            text: chip.name
            elide: Text.ElideMiddle
            kind: "note"
            color: Theme.colors.text
            Layout.fillWidth: true
            Layout.minimumWidth: Theme.space(8)
            Layout.maximumWidth: Math.ceil(implicitWidth)
            Accessible.ignored: true
        }
        Label { text: chip.note; kind: "label"; Accessible.ignored: true }
        IconButton {
            visible: chip.removable
            iconName: "close"
            tip: qsTr("Remove %1").arg(chip.name)
            onClicked: chip.removeRequested()
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: chip.hovered ? Theme.colors.line : chip.ground
        border.width: 1
        border.color: Theme.colors.line
        FocusRing { shown: chip.visualFocus }
    }
    Tip { visible: chip.hovered; text: qsTr("%1: show its text").arg(chip.name) }
}
