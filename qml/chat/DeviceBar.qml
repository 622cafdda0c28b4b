import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The devices that share a model: their layers, and their shares of what is read for a token. One line per device, because their names
// are long.
ColumnLayout {
    id: bar

    required property var device  // deviceBadge with parts
    readonly property var inks: [Theme.colors.gguf, Theme.colors.mlx, Theme.colors.safetensors, Theme.colors.accent]

    function inkOf(row: int): color { return inks[row % inks.length] }
    function work(part: var): string {
        const layers = part.layers > 0 ? qsTr("%n layer(s)", "", part.layers) : ""
        const experts = part.experts > 0 ? qsTr("experts of %n layer(s)", "", part.experts) : ""
        return [layers, experts].filter(text => text !== "").join(", ") || qsTr("token embedding")
    }

    spacing: Theme.space(1)
    PanelBar {
        Layout.fillWidth: true
        name: qsTr("Shared by %n device(s)", "", bar.device.parts.length)
        figure: ""
        total: bar.device.parts.reduce((sum, part) => sum + part.bytes, 0)
        parts: bar.device.parts.map((part, row) => ({ name: "", value: part.bytes, text: "", ink: bar.inkOf(row) }))
    }
    LayoutRepeater {
        model: bar.device.parts
        ColumnLayout {
            id: line
            required property var modelData
            required property int index
            readonly property string share: Figures.percent(modelData.share)
            objectName: "sharingDevice"
            spacing: 0
            Layout.fillWidth: true
            Accessible.role: Accessible.StaticText
            Accessible.name: modelData.name + ": " + work.text + ", " + line.share
            RowLayout {
                spacing: Theme.space(1)
                Layout.fillWidth: true
                Rectangle {
                    implicitWidth: Theme.space(2)
                    implicitHeight: implicitWidth
                    radius: width / 2
                    color: bar.inkOf(line.index)
                }
                ElidedLabel { text: line.modelData.name; kind: "label"; Layout.fillWidth: true }
                Label { text: line.share; kind: "label"; font.weight: Font.DemiBold }
            }
            Label {
                id: work
                text: bar.work(line.modelData)
                kind: "label"
                leftPadding: Theme.space(3)
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
        }
    }
    Label {
        text: qsTr("%1 per token from device to device").arg(Figures.bytes(bar.device.handedOver))
        visible: bar.device.handedOver > 0
        kind: "label"
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
}
