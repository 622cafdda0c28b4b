import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The embedding models of the library to choose from, and how far the chosen one is.
ColumnLayout {
    id: choice

    required property ModelLibrary library
    required property MeaningSearch meaning
    required property string value
    required property string name
    signal chosen(string path)

    property var models: []
    function list(): void {
        const all = [{ value: "", title: qsTr("Off") }].concat(library.embeddingModels())
        if (!all.some(model => model.value === value)) all.push({ value: value, title: value.split("/").pop() })
        if (JSON.stringify(all) !== JSON.stringify(models)) models = all
    }
    Component.onCompleted: list()
    onValueChanged: list()
    Connections {
        target: choice.library
        function onDataChanged(): void { choice.list() }
        function onCountChanged(): void { choice.list() }
    }

    spacing: Theme.space(1)
    ComboBox {
        model: choice.models
        textRole: "title"
        currentIndex: choice.models.findIndex(model => model.value === choice.value)
        Layout.fillWidth: true
        Accessible.name: choice.name
        onActivated: index => choice.chosen(choice.models[index].value)
    }
    Label {
        visible: choice.models.length === 1
        text: qsTr("No embedding model is in the list of models. Add one there: a BERT, ModernBERT, EmbeddingGemma or Qwen3-Embedding.")
        kind: "label"
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    Label {
        visible: choice.meaning.on && choice.meaning.problem === "" && choice.meaning.total > 0
        text: qsTr("%1 of %2 messages").arg(Figures.integer(choice.meaning.done)).arg(Figures.integer(choice.meaning.total))
        kind: "label"
        Layout.fillWidth: true
    }
    Label {
        visible: choice.meaning.problem !== ""
        text: choice.meaning.problem
        kind: "label"
        color: Theme.colors.bad
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Layout.fillWidth: true
        Accessible.role: Accessible.AlertMessage
    }
}
