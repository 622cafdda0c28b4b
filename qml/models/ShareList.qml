import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The composition of something: a stacked bar and, below, a row per part with size and share.
Card {
    id: list

    required property string title
    required property var parts  // [{title, bytes, share}]
    property string note: ""
    readonly property var inks: [
        Theme.colors.accent,
        Theme.colors.gguf,
        Theme.colors.safetensors,
        Theme.colors.mlx,
        Theme.colors.good,
        Theme.colors.faint
    ]

    visible: parts.length > 0

    ColumnLayout {
        width: parent.width
        spacing: Theme.space(2)
        RowLayout {
            Label { text: list.title; kind: "header"; Layout.fillWidth: true }
            Label { text: Figures.bytes(list.parts.reduce((sum, part) => sum + part.bytes, 0)); color: Theme.colors.muted }
        }
        Bar {
            values: list.parts.map(part => part.share)
            inks: list.parts.map((part, i) => list.inks[Math.min(i, list.inks.length - 1)])
            description: list.parts.map(part => part.title + " " + Figures.percent(part.share)).join(", ")
            Layout.fillWidth: true
        }
        LayoutRepeater {
            model: list.parts
            RowLayout {
                required property var modelData
                required property int index
                spacing: Theme.space(2)
                Rectangle {
                    width: Theme.space(2.5)
                    height: width
                    radius: width / 4
                    color: list.inks[Math.min(parent.index, list.inks.length - 1)]
                }
                Label { text: parent.modelData.title; elide: Text.ElideRight; Layout.fillWidth: true }
                Label {
                    text: Figures.bytes(parent.modelData.bytes)
                    color: Theme.colors.muted
                    horizontalAlignment: Text.AlignRight
                    Layout.preferredWidth: Theme.space(18)
                }
                Label {
                    text: parent.modelData.share > 0 && parent.modelData.share < 0.005 ? qsTr("< 1 %") :
                        Figures.percent(parent.modelData.share)
                    horizontalAlignment: Text.AlignRight
                    Layout.preferredWidth: Theme.space(12)
                }
            }
        }
        Label { visible: text !== ""; text: list.note; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
    }
}
