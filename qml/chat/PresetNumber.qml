import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// A number field for an integer of a preset: a row of Presets.fields.
ColumnLayout {
    id: row

    required property var modelData
    property int value: 0
    readonly property bool wrong: field.wrong
    signal entered(int value)
    signal accepted()

    function put(): void { field.put() }
    function reset(): void { field.reset() }
    function focusText(): void { field.focusText() }

    spacing: Theme.space(1)
    Layout.fillWidth: true
    Layout.preferredWidth: 1
    HoverHandler { id: hover }
    Label {
        text: row.modelData.title
        kind: "note"
        elide: Text.ElideRight
        Layout.fillWidth: true
        Tip { visible: hover.hovered; over: row; text: row.modelData.note }
    }
    NumberField {
        id: field
        value: row.value
        from: row.modelData.from
        to: row.modelData.to
        Layout.fillWidth: true
        name: row.modelData.title
        description: row.modelData.note
        onEntered: value => row.entered(value)
        onAccepted: row.accepted()
    }
}
