import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// One whole number of a preset, typed: a row of Presets.fields.
ColumnLayout {
    id: row

    required property var modelData
    property int value: 0
    signal entered(int value)
    signal accepted()

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
    TextField {
        text: row.value
        horizontalAlignment: TextInput.AlignRight
        validator: IntValidator { bottom: row.modelData.from; top: row.modelData.to }
        inputMethodHints: Qt.ImhDigitsOnly
        Layout.fillWidth: true
        Accessible.name: row.modelData.title
        Accessible.description: row.modelData.note
        onTextEdited: if (acceptableInput) row.entered(parseInt(text))
        onAccepted: row.accepted()
        onActiveFocusChanged: if (!activeFocus) text = Qt.binding(() => row.value)  // what is no number is not kept
    }
}
