import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Marks where the prompt begins: messages above are kept in the transcript but not sent to the model.
RowLayout {
    id: line

    required property int messages
    required property int tokens
    required property bool enabledActions
    signal putBack()

    readonly property string words: qsTr("Left out of the prompt from here up: %n message(s), %1 tokens", "", messages)
        .arg(Figures.integer(tokens))

    spacing: Theme.space(3)
    Accessible.role: Accessible.Separator
    Accessible.name: words
    Rectangle { implicitHeight: 1; Layout.fillWidth: true; Layout.minimumWidth: Theme.space(4); color: Theme.colors.warn }
    Label {
        kind: "note"
        color: Theme.colors.warn
        text: line.words
        wrapMode: Text.Wrap
        horizontalAlignment: Text.AlignHCenter
        Layout.maximumWidth: Math.min(Math.ceil(implicitWidth), line.width - Theme.space(50))
    }
    Button {
        kind: "quiet"
        text: qsTr("Put back")
        tip: qsTr("Prompts start with the first message again if they fit")
        enabled: line.enabledActions
        onClicked: line.putBack()
    }
    Rectangle { implicitHeight: 1; Layout.fillWidth: true; Layout.minimumWidth: Theme.space(4); color: Theme.colors.warn }
}
