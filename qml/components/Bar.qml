import QtQuick
import Minerva.Theme

// A thin stacked bar: `values` in units of `total`, with the colours `inks`. The rest shows the background.
Rectangle {
    id: bar

    property var values: []
    property var inks: []
    property real total: 1
    property string description: ""

    implicitHeight: Theme.space(2)
    implicitWidth: Theme.space(40)
    radius: height / 2.6
    color: Theme.colors.sunken
    border.width: 1
    border.color: Theme.colors.line
    clip: true
    Accessible.role: Accessible.ProgressBar
    Accessible.name: description

    Repeater {
        id: parts
        model: bar.values.length
        Rectangle {
            required property int index
            anchors.left: index === 0 ? bar.left : parts.itemAt(index - 1).right
            width: bar.total > 0 && bar.values[index] > 0 ? Math.max(2, Math.min(1, bar.values[index] / bar.total) * bar.width) : 0
            height: bar.height
            radius: index === 0 ? bar.radius : 0
            color: bar.inks[index] ?? "transparent"
        }
    }
}
