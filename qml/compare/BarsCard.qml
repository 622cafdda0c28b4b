import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A figure of all models as bars, scaled from 0 to the largest value.
Card {
    id: card

    required property ColumnModel columns
    required property string title
    required property string key
    property var show: v => Figures.speed(v)
    property real most: 1
    property bool known: false  // of any model

    function measure(): void {
        let largest = 0
        for (let i = 0; i < bars.count; ++i) largest = Math.max(largest, bars.itemAt(i)?.value || 0)
        most = largest > 0 ? largest : 1
        known = largest > 0
    }

    visible: known
    implicitHeight: list.implicitHeight + 2 * padding
    Accessible.role: Accessible.Chart
    Accessible.name: title

    ColumnLayout {
        id: list
        width: parent.width
        spacing: Theme.space(2.5)
        Label { text: card.title; kind: "label"; font.weight: Font.DemiBold; elide: Text.ElideRight; Layout.fillWidth: true }
        LayoutRepeater {
            id: bars
            model: card.columns
            onItemAdded: card.measure()
            ColumnLayout {
                id: bar
                required property string format
                required property string label
                required property var figures
                readonly property double value: figures[card.key] ?? NaN
                onValueChanged: card.measure()
                visible: value > 0
                spacing: Theme.space(1)
                Accessible.role: Accessible.StaticText
                Accessible.name: label + ": " + card.show(value)
                RowLayout {
                    spacing: Theme.space(2)
                    ElidedLabel { text: bar.label; kind: "note"; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true }
                    Digits { text: card.show(bar.value) }
                }
                Item {
                    Layout.fillWidth: true
                    implicitHeight: Theme.space(2)
                    Rectangle { anchors.fill: parent; radius: height / 2; color: Theme.colors.sunken }
                    Rectangle {
                        width: Math.max(height, parent.width * Math.min(1, bar.value / card.most))
                        height: parent.height
                        radius: height / 2
                        color: Theme.formatColor(bar.format)
                    }
                }
            }
        }
    }
}
