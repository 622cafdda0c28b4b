import QtQuick
import QtQuick.Layouts
import Minerva.Theme

// Says for ten seconds what was deleted, with a button to undo it.
Rectangle {
    id: line

    property string text: ""
    signal undone()
    signal passed()

    // Another deletion has its own ten seconds; to be called if the text may be the same.
    function again(): void { if (visible) passing.restart() }
    onTextChanged: again()

    implicitHeight: row.implicitHeight + Theme.space(2)
    radius: Theme.radius
    color: Theme.colors.sunken
    Accessible.role: Accessible.AlertMessage
    Accessible.name: text
    RowLayout {
        id: row
        anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter; leftMargin: Theme.space(3) }
        Label { text: line.text; kind: "note"; elide: Text.ElideMiddle; Layout.fillWidth: true }
        Button { kind: "quiet"; text: qsTr("Undo"); onClicked: line.undone() }
    }
    Timer { id: passing; running: line.visible; interval: 10000; onTriggered: line.passed() }
}
