import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Shown between sending and the first token, in the words of the live panel: what is done, with progress once the prompt is read.
RowLayout {
    id: line

    required property int done
    required property int total
    property bool stopping: false

    spacing: Theme.space(3)
    opacity: 0
    Timer { running: line.visible; interval: 250; onTriggered: line.opacity = 1 }
    onVisibleChanged: if (!visible) opacity = 0

    Label {
        kind: "note"
        text: line.stopping ? qsTr("Stopping...") : line.total > 0 ?
            qsTr("Reading the prompt: %1 of %2 tokens").arg(Figures.integer(line.done)).arg(Figures.integer(line.total)) :
            qsTr("Waiting")
    }
    Progress {
        visible: line.total > 0
        value: line.total > 0 ? line.done / line.total : 0
        Layout.preferredWidth: Theme.space(40)
        Accessible.name: qsTr("Prefill progress")
    }
    Item { Layout.fillWidth: true }
}
