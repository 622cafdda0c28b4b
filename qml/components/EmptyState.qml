import QtQuick
import QtQuick.Layouts
import Minerva.Theme

// Placeholder for an empty view: one sentence and one button.
ColumnLayout {
    id: empty

    required property string sentence
    property string actionText: ""
    signal action()

    spacing: Theme.space(4)
    Label {
        text: empty.sentence
        color: Theme.colors.muted
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        Layout.fillWidth: true
        Layout.maximumWidth: Theme.space(95)
        Layout.alignment: Qt.AlignHCenter
    }
    Button {
        visible: text !== ""
        text: empty.actionText
        kind: "main"
        Layout.alignment: Qt.AlignHCenter
        onClicked: empty.action()
    }
}
