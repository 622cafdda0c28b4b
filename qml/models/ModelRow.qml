import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A model: name, format and type, size, speed last measured on this machine, and actions.
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
    required property double parameters
    required property bool builtIn
    required property string source
    required property bool missing
    required property string problem
    required property bool loaded
    required property double measured
    required property bool own
    required property bool twinAbove  // the row above is the same model in another format
    required property string fit
    required property string fitReason
    required property bool embeds
    readonly property alias actions: menu
    signal chosen(string path)
    signal searchRequested(string path)
    signal detailsRequested()
    signal copyRequested()
    signal forgotten(int row)
    signal trashRequested(int row)

    readonly property bool runs: !missing && problem === "" && fit !== "cannot"
    readonly property bool narrow: width < Theme.space(190)
    readonly property real inset: twinAbove ? Theme.space(5) : 0
    readonly property string about: missing ? qsTr("no longer found: %1").arg(folder) :
        problem !== "" ? problem :
        [loaded ? qsTr("loaded") : "", subtitle, builtIn ? "" : folder].filter(part => part !== "").join(" · ")

    implicitHeight: narrow ? texts.implicitHeight + Theme.space(6) : Theme.space(16)
    Accessible.role: Accessible.ListItem
    Accessible.name: [name, format + " " + type, embeds ? qsTr("Embedding") : "", fitTag.text].filter(part => part !== "").join(", ")
    function use(): void { if (embeds) searchRequested(path); else chosen(path) }
    Keys.onReturnPressed: if (runs) use()
    Keys.onMenuPressed: menu.popup(more, 0, more.height)

    RowLayout {
        anchors { fill: parent; leftMargin: Theme.space(4); rightMargin: Theme.space(4) }
        spacing: Theme.space(4)
        ColumnLayout {
            id: texts
            spacing: Theme.space(0.5)
            Layout.leftMargin: row.inset
            Layout.fillWidth: true
            RowLayout {
                spacing: Theme.space(2)
                ElidedLabel {
                    text: row.name
                    whole: row.path
                    color: row.twinAbove ? Theme.colors.muted : Theme.colors.text
                    font.weight: row.twinAbove ? Font.Normal : Font.DemiBold
                    horizontalAlignment: Text.AlignLeft
                    Layout.fillWidth: true
                    Layout.maximumWidth: implicitWidth + 1
                }
                Tag { visible: row.embeds; text: qsTr("Embedding") }
                FitTag { id: fitTag; fit: row.fit; reason: row.fitReason }
                Item { Layout.fillWidth: true }
            }
            ElidedLabel {
                kind: "note"
                text: row.about
                color: row.problem !== "" || row.missing ? Theme.colors.bad : Theme.colors.muted
                elide: Text.ElideRight
                horizontalAlignment: Text.AlignLeft
                Layout.fillWidth: true
            }
            RowLayout {
                visible: row.narrow
                spacing: Theme.space(2)
                Layout.topMargin: Theme.space(1)
                FormatTag { format: row.format }
                Label { text: row.type; kind: "note" }
                Label { text: Figures.bytes(row.sizeBytes); kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
            }
        }
        RowLayout {
            visible: !row.narrow
            Layout.fillWidth: false
            Layout.preferredWidth: Theme.space(34)
            Layout.maximumWidth: Theme.space(34)
            spacing: Theme.space(2)
            FormatTag { format: row.format }
            Label { text: row.type; color: Theme.colors.muted; Layout.fillWidth: true; elide: Text.ElideRight }
        }
        Label {
            visible: !row.narrow
            text: Figures.bytes(row.sizeBytes)
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(16)
        }
        Label {
            visible: !row.narrow
            text: row.measured > 0 ? qsTr("%1 tok/s").arg(Figures.speed(row.measured)) : "–"
            color: row.measured > 0 ? Theme.colors.text : Theme.colors.faint
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(24)
        }
        RowLayout {
            Layout.fillWidth: false
            spacing: Theme.space(1)
            IconButton {
                id: more
                iconName: "more"
                tip: qsTr("More")
                onClicked: menu.popup(more, 0, more.height)
                Menu {
                    id: menu
                    MenuItem { text: qsTr("Details"); iconName: "list"; enabled: !row.missing; onTriggered: row.detailsRequested() }
                    MenuItem {
                        text: qsTr("Make a smaller copy...")
                        iconName: "copy"
                        enabled: !row.missing && row.problem === ""
                        onTriggered: row.copyRequested()
                    }
                    MenuItem {
                        text: qsTr("Remove from this list")
                        note: row.own && !row.missing ? qsTr("it is in Minerva's folder") : qsTr("the file stays")
                        iconName: "close"
                        enabled: !row.builtIn && row.source === "" && (!row.own || row.missing)  // what is in Minerva's folder is listed again
                        onTriggered: row.forgotten(row.index)
                    }
                    MenuItem {
                        text: qsTr("Move to the trash")
                        iconName: "trash"
                        enabled: row.own
                        visible: row.own
                        onTriggered: row.trashRequested(row.index)
                    }
                }
            }
            Button {
                text: row.embeds ? qsTr("Search") : qsTr("Chat")
                enabled: row.runs
                Layout.preferredWidth: Math.max(implicitWidth, Theme.space(row.narrow ? 20 : 25))
                tip: row.embeds ? qsTr("Use for search by meaning") : ""
                onClicked: row.use()
            }
        }
    }
    FocusRing { shown: row.activeFocus; around: -2 }
    Rectangle {
        visible: row.index > 0
        x: row.twinAbove ? row.inset + Theme.space(4) : 0
        width: parent.width - x
        height: 1
        color: Theme.colors.line
    }
}
