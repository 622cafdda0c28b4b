import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The devices of this machine; their memory figures are refreshed while visible.
ColumnLayout {
    id: part

    required property DeviceCheck devices
    required property InferenceController inference
    required property Settings settings
    property bool narrow: false

    readonly property LastingRows lasting: LastingRows { list: part.devices.devices }
    readonly property bool idle: inference.state !== InferenceController.Generating && inference.state !== InferenceController.Loading

    spacing: Theme.space(3)
    Component.onCompleted: part.devices.refresh()
    Timer {
        interval: 5000
        repeat: true
        running: part.visible && part.idle && part.devices.testing === ""
        onTriggered: part.devices.refresh()
    }

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.space(2)
        Label {
            text: part.settings.device === "" ?
                qsTr("Chosen automatically: the fastest device that works.") :
                part.settings.device === "gpus" ?
                qsTr("All GPUs: as few of them as a model needs; from the next load on.") :
                qsTr("Chosen by you; used from the next load on.")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Button {
            visible: part.devices.severalGpus && part.settings.device !== "gpus"
            text: qsTr("Use all GPUs")
            tip: qsTr("Share models that are too large for one GPU between all of them, from the next load on")
            onClicked: part.settings.device = "gpus"
        }
        Button { visible: part.settings.device !== ""; text: qsTr("Choose automatically"); onClicked: part.settings.device = "" }
    }
    Label {
        visible: part.settings.device !== "" && part.lasting.count > 0 &&
            !part.devices.isThere(part.settings.device)
        text: qsTr("The chosen device (%1) is not available. Models run on the CPU until it is back or another one is chosen.")
            .arg(part.settings.device)
        kind: "note"
        color: Theme.colors.warn
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    Label {
        visible: part.inference.device.fallback
        text: part.inference.device.text + ": " + part.inference.device.reason
        kind: "note"
        color: Theme.colors.warn
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    LayoutRepeater {
        model: part.lasting.count
        DeviceRow {
            required property int index
            device: part.lasting.rows[index]
            narrow: part.narrow
            chosen: part.settings.device !== "" && (part.settings.device === device.key || part.settings.device === device.id)
            used: part.inference.device.isSet && (part.inference.device.parts.length > 0 ?
                part.inference.device.parts.some(used => used.id === device.id) : part.inference.device.name === device.name)
            testing: part.devices.testing === device.id
            canTest: part.devices.testing === "" && part.idle
            Layout.fillWidth: true
            onUse: part.settings.device = device.key
            onTest: part.devices.test(device.id)
        }
    }
    LayoutRepeater {
        model: part.devices.notes
        Label { required property string modelData; text: modelData; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
    }
}
