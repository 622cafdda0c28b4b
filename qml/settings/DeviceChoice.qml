import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The devices of this machine to choose from, and why others are unavailable.
ColumnLayout {
    id: list

    required property DeviceModel devices
    required property string value
    signal chosen(string id)

    spacing: Theme.space(1)
    LayoutRepeater {
        model: list.devices
        Button {
            id: entry
            required property string deviceId
            required property string title
            required property string detail
            required property bool software
            Layout.fillWidth: true
            text: title
            tip: detail
            iconName: list.value === deviceId ? "check" : ""
            Accessible.description: detail + (software ? ", " + qsTr("runs on the CPU") : "")
            onClicked: list.chosen(deviceId)
        }
    }
    LayoutRepeater {
        model: list.devices.notes
        Label { required property string modelData; text: modelData; kind: "label"; wrapMode: Text.Wrap; Layout.fillWidth: true }
    }
}
