import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// How to call the local server: a command line to copy.
Card {
    id: card

    required property string line
    signal copyRequested()

    implicitWidth: Theme.space(80)
    implicitHeight: column.implicitHeight + 2 * padding

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(3)
        Label {
            text: qsTr("No requests yet. In a terminal, this line asks the model; other programs take the address as that of OpenAI or Ollama.")
            color: Theme.colors.muted
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Rectangle {
            Layout.fillWidth: true
            implicitHeight: code.implicitHeight + Theme.space(6)
            radius: Theme.radius
            color: Theme.colors.sunken
            border.width: 1
            border.color: Theme.colors.line
            LayoutMirroring.enabled: false  // a command line is read left to right
            LayoutMirroring.childrenInherit: true
            TextEdit {
                id: code
                anchors { fill: parent; margins: Theme.space(3) }
                text: card.line
                textFormat: TextEdit.PlainText
                readOnly: true
                selectByMouse: true
                activeFocusOnTab: true
                wrapMode: TextEdit.WrapAnywhere
                horizontalAlignment: Text.AlignLeft
                color: Theme.colors.text
                selectionColor: Theme.colors.accent
                selectedTextColor: Theme.colors.accentInk
                font.family: Theme.mono
                font.pixelSize: Theme.codeSize
                Accessible.name: qsTr("Command line")
            }
            FocusRing { shown: code.activeFocus }
        }
        Button {
            text: copied.running ? qsTr("Copied") : qsTr("Copy")
            Layout.alignment: Qt.AlignRight
            onClicked: { card.copyRequested(); copied.restart() }
            Timer { id: copied; interval: 1500 }
        }
    }
}
