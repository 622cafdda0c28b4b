import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A slider for a number of a preset: a row of Presets.fields.
RowLayout {
    id: row

    required property var modelData
    property real value: 0
    signal moved(real value)

    spacing: Theme.space(3)
    HoverHandler { id: hover }
    Label {
        text: row.modelData.title
        Layout.preferredWidth: Theme.space(32)
        Tip { visible: hover.hovered; over: row; text: row.modelData.note }
    }
    Slider {
        Layout.fillWidth: true
        from: row.modelData.from
        to: row.modelData.to
        stepSize: row.modelData.step
        value: row.value
        Accessible.name: row.modelData.title
        Accessible.description: row.modelData.note
        onMoved: row.moved(value)
    }
    Label {
        text: Figures.decimal(row.value, row.modelData.decimals)
        horizontalAlignment: Text.AlignRight
        Layout.preferredWidth: Theme.space(10)
    }
}
