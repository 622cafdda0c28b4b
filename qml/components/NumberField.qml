import QtQuick
import QtQuick.Layouts
import Minerva.Theme

// An integer field with limits. A value outside them is not accepted and stays, with the reason below, until it is
// corrected; Esc restores the current value.
ColumnLayout {
    id: field

    property int value: 0
    property int from: 0
    property int to: 2147483647
    readonly property bool wrong: !/^-?\d+$/.test(edit.text.trim()) || Number(edit.text) < from || Number(edit.text) > to
    property alias name: edit.accessibleName
    property alias description: edit.accessibleDescription
    signal entered(int value)
    signal accepted()  // by Enter

    // Reports the text now instead of when editing is finished.
    function put(): void { if (!wrong && Number(edit.text) !== value) entered(Number(edit.text)) }
    function reset(): void { edit.text = Qt.binding(() => field.value) }
    function focusText(): void { edit.forceActiveFocus() }
    function written(number: int): string { return Number(number).toLocaleString(Qt.locale(), "f", 0) }

    spacing: Theme.space(0.5)
    TextField {
        id: edit
        property string accessibleName: ""
        property string accessibleDescription: ""
        text: field.value
        horizontalAlignment: TextInput.AlignRight
        inputMethodHints: Qt.ImhDigitsOnly
        Layout.fillWidth: true
        Accessible.name: accessibleName
        Accessible.description: field.wrong ? limits.text : accessibleDescription
        onEditingFinished: {
            field.put()  // unchanged values are not reported
            if (!field.wrong) field.reset()
        }
        Keys.onReturnPressed: event => { event.accepted = false; if (!field.wrong) field.accepted() }
        Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape && field.wrong
        Keys.onEscapePressed: event => { event.accepted = field.wrong; if (field.wrong) field.reset() }
    }
    Label {
        id: limits
        visible: field.wrong
        text: qsTr("Not accepted: enter a number from %1 to %2").arg(field.written(field.from)).arg(field.written(field.to))
        kind: "note"
        color: Theme.colors.bad
        wrapMode: Text.Wrap
        horizontalAlignment: Text.AlignRight
        Layout.fillWidth: true
        Accessible.role: Accessible.AlertMessage
    }
}
