import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One model: name, format and type, size, the speed last measured here, and what to do with it.
Item {
    id: row

    required property int index
    required property string name
    required property string path
    required property string folder
    required property string subtitle
    required property string format
    required property string type
    required property double sizeBytes
    required property bool builtIn
    required property bool missing
    required property string problem
    required property bool loaded
    required property double measured
    signal chosen(string path)
    signal forgotten(int row)

    implicitHeight: Theme.space(16)
    Accessible.role: Accessible.ListItem
    Accessible.name: name + ", " + format + " " + type

    RowLayout {
        anchors { fill: parent; leftMargin: Theme.space(4); rightMargin: Theme.space(4) }
        spacing: Theme.space(4)
        ColumnLayout {
            spacing: Theme.space(0.5)
            Layout.fillWidth: true
            Label {
                text: row.name
                font.weight: Font.DemiBold
                elide: Text.ElideMiddle
                Layout.fillWidth: true
                HoverHandler { id: hover }
                Tip { visible: hover.hovered; text: row.path }
            }
            Label {
                kind: "note"
                text: row.missing ? qsTr("not there any more: %1").arg(row.folder) : row.problem !== "" ? row.problem
                    : row.subtitle === "" ? row.folder : row.builtIn ? row.subtitle : row.subtitle + " · " + row.folder
                color: row.problem !== "" || row.missing ? Theme.colors.bad : Theme.colors.muted
                elide: Text.ElideMiddle
                Layout.fillWidth: true
            }
        }
        RowLayout {
            Layout.preferredWidth: Theme.space(34)
            spacing: Theme.space(2)
            FormatTag { format: row.format }
            Label { text: row.type; color: Theme.colors.muted; Layout.fillWidth: true; elide: Text.ElideRight }
        }
        Label { text: Figures.bytes(row.sizeBytes); horizontalAlignment: Text.AlignRight; Layout.preferredWidth: Theme.space(16) }
        Label {
            text: row.measured > 0 ? qsTr("%1 tok/s").arg(Figures.speed(row.measured)) : "–"
            color: row.measured > 0 ? Theme.colors.text : Theme.colors.faint
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(24)
        }
        RowLayout {
            Layout.preferredWidth: Theme.space(34)
            spacing: Theme.space(1)
            Button { text: row.loaded ? qsTr("Loaded") : qsTr("Chat"); enabled: !row.missing; Layout.fillWidth: true; onClicked: row.chosen(row.path) }
            IconButton { opacity: row.builtIn ? 0 : 1; enabled: !row.builtIn; iconName: "close"; tip: qsTr("Take off this list; the file stays"); onClicked: row.forgotten(row.index) }
        }
    }
    Rectangle { anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
}
