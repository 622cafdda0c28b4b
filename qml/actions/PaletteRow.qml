import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A result in the command palette.
T.ItemDelegate {
    id: row

    required property int index
    required property int kind
    required property string title
    required property string html
    required property string note
    required property string keys
    signal chosen(int index)

    implicitHeight: Theme.space(9.5)
    horizontalPadding: Theme.space(3)
    hoverEnabled: true
    focusPolicy: Qt.NoFocus  // the text field above keeps the focus
    highlighted: ListView.isCurrentItem
    Accessible.role: Accessible.ListItem
    Accessible.name: [title, note, keys].filter(part => part !== "").join(", ")
    onClicked: chosen(index)

    contentItem: RowLayout {
        spacing: Theme.space(3)
        Icon {
            icon: row.kind === PaletteModel.Conversation ? "chat" : row.kind === PaletteModel.Model ? "models" : "chevron-right"
            color: row.highlighted ? Theme.colors.accent : Theme.colors.muted
            size: Math.round(16 * Theme.scale)
        }
        MarkedLabel {
            html: row.html
            elide: Text.ElideRight
            Layout.fillWidth: true
            Layout.minimumWidth: Theme.space(20)
            Accessible.ignored: true
        }
        Label {
            visible: text !== ""
            text: row.note
            kind: "note"
            elide: Text.ElideRight
            Layout.maximumWidth: row.width * 0.3
            Accessible.ignored: true
        }
        Label { visible: text !== ""; text: row.keys; kind: "mono"; color: Theme.colors.muted; Accessible.ignored: true }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.highlighted ? Theme.colors.accentSoft : row.hovered ? Theme.colors.sunken : "transparent"
    }
}
