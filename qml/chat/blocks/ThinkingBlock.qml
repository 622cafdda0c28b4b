import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// The thoughts of a reasoning model, collapsible.
ColumnLayout {
    id: block

    required property string source
    required property bool complete
    property bool open: false

    spacing: Theme.space(1)
    Button {
        kind: "quiet"
        Layout.leftMargin: -Theme.space(2)
        iconName: block.open ? "chevron-down" : "chevron-right"
        text: block.complete ? qsTr("Thoughts") : qsTr("Thinking...")
        onClicked: block.open = !block.open
    }
    Label {
        visible: block.open
        text: block.source
        kind: "note"
        wrapMode: Text.Wrap
        Layout.leftMargin: Theme.space(4)
        Layout.fillWidth: true
    }
}
