import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Asks for confirmation before opening a link whose text names another address. Esc and Enter alone open nothing.
T.Popup {
    id: question

    property string link: ""
    property string said: ""

    function ask(text: string, address: string): void {
        said = text
        link = address
        open()
        leave.forceActiveFocus()
    }

    objectName: "linkQuestion"
    parent: T.Overlay.overlay
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? Math.round((parent.height - height) / 2) : 0
    width: Math.min(Theme.space(120), (parent ? parent.width : 0) - Theme.space(8))
    implicitHeight: contentItem.implicitHeight + 2 * padding
    padding: Theme.space(5)
    modal: true
    dim: true
    focus: true
    background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
    T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, 0.35) }

    contentItem: ColumnLayout {
        spacing: Theme.space(3)
        Label {
            text: qsTr("This link leads to a different address than its text says")
            kind: "header"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        GridLayout {
            columns: 2
            columnSpacing: Theme.space(4)
            rowSpacing: Theme.space(1)
            Label { text: qsTr("Its text"); kind: "note"; Layout.alignment: Qt.AlignTop }
            Label { text: question.said; wrapMode: Text.WrapAnywhere; maximumLineCount: 3; elide: Text.ElideRight; Layout.fillWidth: true }
            Label { text: qsTr("Leads to"); kind: "note"; Layout.alignment: Qt.AlignTop }
            Label { text: Links.address(question.link); font.weight: Font.DemiBold; wrapMode: Text.WrapAnywhere; Layout.fillWidth: true }
        }
        RowLayout {
            spacing: Theme.space(2)
            Layout.topMargin: Theme.space(2)
            Item { Layout.fillWidth: true }
            Button { text: qsTr("Open it"); onClicked: { question.close(); Links.open(question.link) } }
            Button { id: leave; kind: "main"; text: qsTr("Do not open it"); onClicked: question.close() }
        }
    }
}
