import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The smaller models here that could draft for a model. Hidden if there are none.
Card {
    id: card

    required property DraftChoice draft  // may be null
    readonly property var choices: draft ? draft.all : []

    visible: choices.length > 0
    ColumnLayout {
        width: parent.width
        spacing: Theme.space(2)
        RowLayout {
            spacing: Theme.space(4)
            Label { text: qsTr("Draft model"); color: Theme.colors.muted; Layout.preferredWidth: Theme.space(34) }
            ComboBox {
                model: card.choices
                textRole: "title"
                valueRole: "value"
                currentIndex: Math.max(0, card.choices.findIndex(entry => entry.value === card.draft.chosen))
                Accessible.name: qsTr("Draft model")
                Layout.fillWidth: true
                onActivated: card.draft.choose(currentValue)
            }
        }
        Label {
            text: qsTr("A smaller model with the same vocabulary suggests what comes next, and this one checks several tokens at a time. On a processor this makes replies faster without changing them; it takes memory. It applies when the model is loaded next.")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
    }
}
