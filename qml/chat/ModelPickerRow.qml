import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A model in the picker's list.
T.ItemDelegate {
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
    required property string fit
    required property bool loaded
    required property bool embeds
    property bool kept: false  // in memory beside the present model
    signal chosen(string path)
    signal unloadAsked(string path)

    implicitHeight: Theme.space(13)
    horizontalPadding: Theme.space(2.5)
    hoverEnabled: true
    enabled: !missing && problem === "" && fit !== "cannot" && !embeds
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.name: kept ? qsTr("%1, in memory").arg(name + " " + format + " " + type) : name + " " + format + " " + type
    onClicked: chosen(path)
    Keys.onReturnPressed: chosen(path)

    contentItem: RowLayout {
        spacing: Theme.space(2)
        Icon { icon: "check"; color: Theme.colors.accent; opacity: row.loaded ? 1 : 0; size: Math.round(16 * Theme.scale) }
        ColumnLayout {
            spacing: 0
            Layout.fillWidth: true
            Label {
                text: row.name
                color: row.enabled ? Theme.colors.text : Theme.colors.faint
                elide: Text.ElideMiddle
                Layout.fillWidth: true
            }
            Label {
                text: row.missing ? qsTr("no longer found: %1").arg(row.folder) : row.problem !== "" ? row.problem :
                    row.kept ? qsTr("In memory · %1").arg(row.subtitle) : row.subtitle
                color: row.problem !== "" ? Theme.colors.bad : row.kept ? Theme.colors.accent : Theme.colors.muted
                kind: "label"
                elide: row.missing ? Text.ElideMiddle : Text.ElideRight
                Layout.fillWidth: true
            }
        }
        FormatTag { format: row.format }
        Label { text: row.type; kind: "note" }
        Label {
            text: row.sizeBytes > 0 ? Figures.bytes(row.sizeBytes) : ""  // not known of a file that cannot be read
            kind: "note"
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(14)
        }
        IconButton {
            visible: row.kept
            iconName: "close"
            tip: qsTr("Unload; it stays in memory beside the model in use")
            implicitWidth: Theme.space(7)
            onClicked: row.unloadAsked(row.path)
        }
    }
    background: Rectangle { radius: Theme.radius; color: row.hovered || row.highlighted ? Theme.colors.sunken : "transparent" }
    Tip { visible: row.hovered; text: row.problem !== "" ? row.problem : row.path }
}
