import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Shown on the first start: what Minerva is and how to get a model. Makes no network requests.
Flickable {
    id: first

    required property ChatController chat
    required property InferenceController inference
    required property ModelLibrary library

    contentHeight: Math.max(height, column.implicitHeight + Theme.space(8))
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    interactive: contentHeight > height
    T.ScrollBar.vertical: ScrollBar {}

    component Way: Rectangle {
        id: way
        required property string headline
        required property string line
        default property alias actions: buttons.data
        implicitHeight: part.implicitHeight + Theme.space(8)
        radius: Theme.cardRadius
        color: Theme.colors.surface
        border.width: 1
        border.color: Theme.colors.line
        ColumnLayout {
            id: part
            anchors { left: parent.left; right: parent.right; top: parent.top; margins: Theme.space(4) }
            spacing: Theme.space(1)
            Label { text: way.headline; kind: "header"; wrapMode: Text.Wrap; Layout.fillWidth: true }
            Label { text: way.line; color: Theme.colors.muted; wrapMode: Text.Wrap; Layout.fillWidth: true }
            Flow { id: buttons; spacing: Theme.space(2); Layout.fillWidth: true; Layout.topMargin: Theme.space(2) }
        }
    }

    ColumnLayout {
        id: column
        width: Math.min(first.width - Theme.space(8), Theme.space(150))
        x: (first.width - width) / 2
        y: Math.max(Theme.space(4), (first.contentHeight - implicitHeight) / 2)
        spacing: Theme.space(4)
        Label {
            text: qsTr("Welcome to Minerva")
            kind: "title"
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Label {
            text: qsTr("Chat with language models that run on this machine. What you write stays on it unless you choose a model of a server.")
            color: Theme.colors.muted
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Layout.bottomMargin: Theme.space(2)
        }
        Way {
            visible: first.library.builtInPath !== ""
            headline: qsTr("Try it now")
            line: first.inference.ready && first.inference.model.builtIn ?
                qsTr("A tiny model comes with Minerva: %1 parameters, works offline, knows little. It is loaded.")
                    .arg(Figures.parameters(first.inference.model.parameters)) :
                qsTr("A tiny model comes with Minerva. It works offline and knows little.")
            Layout.fillWidth: true
            Button {
                visible: !first.inference.ready
                text: qsTr("Load the built-in model")
                kind: "main"
                enabled: first.inference.state !== InferenceController.Loading
                onClicked: first.library.openBuiltIn()
            }
            Repeater {
                model: first.inference.ready ? [qsTr("Who are you?"), qsTr("Tell me a story about a fox"), qsTr("What is 7 + 8?")] : []
                Button {
                    required property string modelData
                    required property int index
                    text: modelData
                    kind: index === 0 ? "main" : "plain"
                    enabled: first.chat.canSend
                    onClicked: first.chat.send(modelData)
                }
            }
        }
        Way {
            headline: qsTr("Bring your own model")
            line: qsTr("Open a GGUF or SafeTensors file where it is, or look for one to download. No requests are sent to any server before you do.")
            Layout.fillWidth: true
            Button {
                iconName: "file"
                text: qsTr("Open a file...")
                tip: Actions.keys("model.open")
                onClicked: Actions.trigger("model.open")
            }
            Button { iconName: "search"; text: qsTr("Discover models"); onClicked: Actions.trigger("models.search") }
        }
        Label { visible: found.count > 0; text: qsTr("Already on this computer"); kind: "header"; Layout.topMargin: Theme.space(2) }
        ListView {
            id: found
            visible: count > 0
            Layout.fillWidth: true
            Layout.preferredHeight: Math.min(contentHeight, Theme.space(52))
            activeFocusOnTab: visible
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentHeight > height
            T.ScrollBar.vertical: ScrollBar {}
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Already on this computer")
            model: ForeignModels { library: first.library }
            delegate: ModelPickerRow {
                width: ListView.view.width
                onChosen: path => first.library.openPath(path)
            }
        }
    }
}
