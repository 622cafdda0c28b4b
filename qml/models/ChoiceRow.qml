import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One thing to download: a quantization or a folder, its size, whether it fits here.
Item {
    id: row

    required property var choice  // of HubService.choices
    property bool bottomMost: false
    signal downloadRequested()

    readonly property bool narrow: width < Theme.space(140)
    readonly property var verdict: ({ fits: { text: qsTr("Fits"), ink: Theme.colors.good, ground: Theme.colors.goodSoft },
                                      slow: { text: qsTr("Fits, slowly"), ink: Theme.colors.warn, ground: Theme.colors.warnSoft },
                                      no: { text: qsTr("Does not fit"), ink: Theme.colors.bad, ground: Theme.colors.badSoft },
                                      cannot: { text: qsTr("Cannot run"), ink: Theme.colors.bad, ground: Theme.colors.badSoft } })[choice.fit] ?? null

    implicitHeight: Math.max(Theme.space(14), texts.implicitHeight + Theme.space(4))
    Accessible.role: Accessible.ListItem
    Accessible.name: choice.format + " " + choice.label + ", " + Figures.bytes(choice.bytes) + (verdict ? ", " + verdict.text : "")

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
                Label { visible: text !== ""; text: row.choice.label; font.weight: Font.DemiBold; elide: Text.ElideMiddle; Layout.fillWidth: true; Layout.maximumWidth: implicitWidth + 1 }
                Tag { visible: row.choice.recommended; text: qsTr("Recommended"); ink: Theme.colors.accent; ground: Theme.colors.accentSoft }
                Item { Layout.fillWidth: true }
            }
            Label {
                visible: text !== ""
                text: row.choice.fit === "fits" || row.choice.fit === "cannot" ? row.choice.files > 1 ? qsTr("%1 files").arg(row.choice.files) : "" : row.choice.reason
                kind: "note"
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
        }
        Tag { visible: row.verdict !== null; text: row.verdict?.text ?? ""; ink: row.verdict?.ink ?? Theme.colors.muted; ground: row.verdict?.ground ?? Theme.colors.sunken }
        Label { text: Figures.bytes(row.choice.bytes); horizontalAlignment: Text.AlignRight; Layout.preferredWidth: Theme.space(18) }
        Button {
            kind: row.choice.recommended ? "main" : "plain"
            text: qsTr("Download")
            Layout.preferredWidth: Math.max(implicitWidth, Theme.space(25))
            enabled: row.choice.fit !== "cannot"
            onClicked: row.downloadRequested()
        }
    }
    Rectangle { visible: !row.bottomMost; anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
}
