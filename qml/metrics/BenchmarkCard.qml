import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Progress of a running benchmark, or its error.
ColumnLayout {
    id: part

    required property Benchmark benchmark

    visible: benchmark.running || benchmark.error.isSet
    spacing: Theme.space(2)
    Card {
        visible: part.benchmark.running
        implicitWidth: Theme.space(80)
        implicitHeight: line.implicitHeight + 2 * padding
        padding: Theme.space(3)
        Layout.fillWidth: true
        RowLayout {
            id: line
            width: parent.width
            spacing: Theme.space(3)
            Label { text: part.benchmark.stage; Layout.minimumWidth: Theme.space(36) }
            Progress { value: part.benchmark.progress; Layout.fillWidth: true; Accessible.name: qsTr("Benchmark") }
            Button { text: qsTr("Cancel"); tip: Actions.keys("app.stop"); onClicked: part.benchmark.cancel() }
        }
    }
    ErrorCard {
        error: part.benchmark.error
        dismissible: true
        Layout.fillWidth: true
        onDismissed: part.benchmark.dismissError()
    }
}
