import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Shown in an empty conversation: the loaded model, and suggested first messages for the built-in model.
ColumnLayout {
    id: welcome

    required property ChatController chat
    required property ContextGuard context
    required property InferenceController inference
    required property ModelLibrary library

    readonly property var facts: inference.model
    spacing: Theme.space(4)
    Label {
        text: welcome.inference.ready ? welcome.facts.name : qsTr("Chat with a model on this machine")
        kind: "title"
        horizontalAlignment: Text.AlignHCenter
        elide: Text.ElideMiddle
        Layout.fillWidth: true
    }
    Label {
        text: welcome.facts.builtIn ?
            qsTr("A tiny model that comes with Minerva: %1 parameters. It works offline, knows little, and says so. Open a bigger model from the picker above.")
                .arg(Figures.parameters(welcome.facts.parameters)) :
            welcome.facts.server !== "" ?
            qsTr("Runs on %1. What you write is sent to %2.").arg(welcome.facts.server).arg(welcome.inference.device.detail) :
            welcome.inference.ready ?
            qsTr("%1 parameters · %2 context. Everything stays on this machine.")
                .arg(Figures.parameters(welcome.facts.parameters)).arg(Figures.integer(welcome.facts.contextLength)) :
            qsTr("Open a GGUF file, a SafeTensors file or a model's folder, or start with the small model that comes with Minerva.")
        color: Theme.colors.muted
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        lineHeight: 1.3
        Layout.fillWidth: true
        Layout.maximumWidth: Theme.space(120)
        Layout.alignment: Qt.AlignHCenter
    }
    Button {
        visible: welcome.inference.state === InferenceController.NoModel
        text: qsTr("Load the built-in model")
        kind: "main"
        Layout.alignment: Qt.AlignHCenter
        onClicked: welcome.library.openBuiltIn()
    }
    Flow {
        visible: welcome.facts.builtIn && welcome.inference.ready
        spacing: Theme.space(2)
        Layout.alignment: Qt.AlignHCenter
        Layout.maximumWidth: Theme.space(140)
        Repeater {
            model: [
                qsTr("Who are you?"),
                qsTr("Tell me a story about a fox"),
                qsTr("How do I open a bigger model?"),
                qsTr("What is 7 + 8?")
            ]
            Button {
                required property string modelData
                text: modelData
                enabled: welcome.chat.canSend
                onClicked: welcome.context.send(modelData)
            }
        }
    }
}
