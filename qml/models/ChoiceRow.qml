import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A downloadable file or folder: quantization, size, whether it fits this machine.
Item {
    id: row

    required property var choice  // an element of HubService.choices
    property bool bottomMost: false
    signal downloadRequested()
    signal chatRequested(string path)

    readonly property bool narrow: width < Theme.space(160)
    readonly property bool runs: choice.fit !== "cannot"
    readonly property bool done: choice.here === "done"
    readonly property bool other: choice.here === "other"
    readonly property string speed: choice.expected > 0 ? qsTr("expected: at most %1 tok/s").arg(Figures.speed(choice.expected)) : ""
    readonly property string files: choice.files > 1 ? qsTr("%1 files").arg(choice.files) : ""
    readonly property string note: [choice.fit === "fits" || (!runs && choice.reason === "") ? files : choice.reason, speed]
        .filter(part => part !== "").join(" · ")

    readonly property string status: done ? qsTr("On this computer") : other ? qsTr("Another version is here") :
        choice.recommended && runs ? qsTr("Recommended") : ""

    implicitHeight: Math.max(Theme.space(14), texts.implicitHeight + Theme.space(4))
    Accessible.role: Accessible.ListItem
    Accessible.name: choice.format + " " + choice.label + ", " + [
        Figures.bytes(choice.bytes),
        fitTag.text,
        speed,
        done ? qsTr("on this computer") : other ? qsTr("another version is on this computer") : ""
    ].filter(part => part !== "").join(", ")

    RowLayout {
        anchors { fill: parent; leftMargin: Theme.space(4); rightMargin: Theme.space(4) }
        spacing: Theme.space(4)
        ColumnLayout {
            id: texts
            spacing: Theme.space(0.5)
            Layout.fillWidth: true
            RowLayout {
                spacing: Theme.space(2)
                FormatTag { format: row.choice.format }
                Label {
                    visible: text !== ""
                    text: row.choice.label
                    font.weight: Font.DemiBold
                    elide: Text.ElideMiddle
                    Layout.fillWidth: true
                    Layout.maximumWidth: implicitWidth + 1
                }
                Status { visible: !row.narrow && text !== "" }
                Item { Layout.fillWidth: true }
            }
            Flow {
                visible: row.narrow
                spacing: Theme.space(2)
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(1)
                Layout.bottomMargin: Theme.space(0.5)
                Fit { id: verdict }
                Label { text: Figures.bytes(row.choice.bytes); kind: "note"; height: verdict.height; verticalAlignment: Text.AlignVCenter }
                Status { visible: text !== "" }
            }
            Label {
                visible: text !== ""
                text: row.note
                kind: "note"
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
        }
        Fit { id: fitTag; visible: !row.narrow && text !== "" }
        Label {
            visible: !row.narrow
            text: Figures.bytes(row.choice.bytes)
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(18)
        }
        Button {
            readonly property bool running: row.choice.here === "running"
            kind: row.choice.recommended && row.runs && !row.done && !running ? "main" : "plain"
            text: row.done ? qsTr("Chat") : running ? qsTr("Downloading") : row.other ? qsTr("Update") : qsTr("Download")
            tip: row.done ? qsTr("It is on this computer: %1").arg(row.choice.path) :
                row.other ?
                qsTr("The hub has another version of what is on this computer. The download replaces it when it is complete and verified") :
                ""
            Layout.preferredWidth: Math.max(implicitWidth, Theme.space(row.narrow ? 25 : 30))  // "Downloading" does not move the columns
            enabled: !running && row.runs
            onClicked: if (row.done) row.chatRequested(row.choice.path); else row.downloadRequested()
        }
    }
    component Fit: FitTag {
        fit: row.choice.fit
        reason: row.speed === "" ? "" : qsTr("Measured memory bandwidth, divided by the bytes read for each token")
    }
    component Status: Tag {
        text: row.status
        ink: row.other ? Theme.colors.warn : row.done ? Theme.colors.muted : Theme.colors.accent
        ground: row.other ? Theme.colors.warnSoft : row.done ? Theme.colors.sunken : Theme.colors.accentSoft
    }
    Rectangle { visible: !row.bottomMost; anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
}
