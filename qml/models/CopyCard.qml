import QtQuick
import QtQuick.Layouts
import QtQuick.Dialogs
import Minerva.App
import Minerva.Components
import Minerva.Theme

// "Make a smaller copy" of a model: the choice of type, then the progress, then the path of the copy.
Card {
    id: card

    required property CopyJob job
    property var model: null  // the model to copy: {name, path, parameters, sizeBytes}; null: not choosing
    readonly property bool choosing: model !== null && job.state !== CopyJob.Running
    readonly property var choices: model === null ? [] : job.choices(model.parameters, model.sizeBytes)
    readonly property var choice: choices[types.currentIndex] ?? null
    property string target: ""
    signal chatRequested(string path)

    function open(chosen: var): void {
        if (job.state === CopyJob.Running) return
        job.dismiss()
        model = chosen
        types.currentIndex = Math.max(0, choices.findIndex(c => c.type === "q4_k_m"))
        propose()
    }
    function propose(): void {
        if (model !== null && choice !== null) target = job.proposeTarget(model.path, model.name, choice.type)
    }

    visible: model !== null || job.state === CopyJob.Running || job.state === CopyJob.Done

    ColumnLayout {
        width: parent.width
        spacing: Theme.space(3)
        RowLayout {
            spacing: Theme.space(2)
            Label {
                text: card.choosing ? qsTr("Make a smaller copy of %1").arg(card.model.name) :
                    card.job.state === CopyJob.Running ? qsTr("Copying %1").arg(card.job.name) :
                    qsTr("The copy of %1 is ready").arg(card.job.name)
                kind: "header"
                elide: Text.ElideMiddle
                Layout.fillWidth: true
            }
            IconButton {
                visible: card.job.state !== CopyJob.Running
                iconName: "close"
                tip: qsTr("Close")
                onClicked: { card.model = null; card.job.dismiss() }
            }
        }
        Label {
            visible: card.choosing && card.choices.length === 0
            text: qsTr("No available type would make a smaller copy of this model.")
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        GridLayout {
            visible: card.choosing && card.choices.length > 0
            columns: 2
            columnSpacing: Theme.space(4)
            rowSpacing: Theme.space(2)
            Label { text: qsTr("Type"); kind: "note" }
            RowLayout {
                spacing: Theme.space(3)
                ComboBox {
                    id: types
                    model: card.choices
                    textRole: "label"
                    Accessible.name: qsTr("Type of the copy")
                    Layout.preferredWidth: Theme.space(65)
                    onActivated: card.propose()
                }
                Label {
                    visible: (card.choice?.bytes ?? 0) > 0
                    text: qsTr("about %1").arg(Figures.bytes(card.choice?.bytes ?? NaN))
                    kind: "note"
                    elide: Text.ElideRight
                    Layout.fillWidth: true
                }
            }
            Label { text: qsTr("File"); kind: "note" }
            RowLayout {
                spacing: Theme.space(2)
                ElidedLabel { text: card.target; whole: card.target; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true }
                Button { text: qsTr("Change..."); onClicked: dialog.open() }
            }
        }
        RowLayout {
            visible: card.choosing && card.choices.length > 0
            spacing: Theme.space(2)
            Item { Layout.fillWidth: true }
            Button { text: qsTr("Cancel"); onClicked: card.model = null }
            Button {
                kind: "main"
                text: qsTr("Make the copy")
                onClicked: {
                    const m = card.model, type = card.choice.type
                    card.model = null
                    card.job.start(m.path, m.name, type, card.target)
                }
            }
        }
        RowLayout {
            visible: card.job.state === CopyJob.Running
            spacing: Theme.space(4)
            ColumnLayout {
                spacing: Theme.space(1.5)
                Layout.fillWidth: true
                Progress {
                    Layout.fillWidth: true
                    indeterminate: card.job.bytesTotal <= 0
                    value: card.job.bytesTotal > 0 ? card.job.bytesDone / card.job.bytesTotal : 0
                    Accessible.name: qsTr("Copy progress")
                }
                Label {
                    kind: "note"
                    elide: Text.ElideMiddle
                    Layout.fillWidth: true
                    text: card.job.bytesTotal > 0 ?
                        qsTr("%1 of %2 · %3")
                            .arg(Figures.bytes(card.job.bytesDone)).arg(Figures.bytes(card.job.bytesTotal)).arg(card.job.tensor) :
                        qsTr("Reading the model")
                }
            }
            Button { text: qsTr("Cancel"); onClicked: card.job.cancel() }
        }
        ColumnLayout {
            visible: !card.choosing && card.job.state === CopyJob.Done
            spacing: Theme.space(2)
            Label { text: card.job.target; elide: Text.ElideMiddle; Layout.fillWidth: true }
            LayoutRepeater {
                model: card.job.warnings
                Label { required property string modelData; text: modelData; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
            }
            RowLayout {
                Item { Layout.fillWidth: true }
                Button {
                    kind: "main"
                    text: qsTr("Chat")
                    onClicked: { const path = card.job.target; card.job.dismiss(); card.chatRequested(path) }
                }
            }
        }
    }
    FileDialog {
        id: dialog
        title: qsTr("Save the copy as")
        fileMode: FileDialog.SaveFile
        defaultSuffix: "gguf"
        nameFilters: [qsTr("GGUF (*.gguf)")]
        onAccepted: card.target = card.job.localPath(selectedFile)
    }
}
