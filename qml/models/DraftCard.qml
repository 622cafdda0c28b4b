import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The smaller models here that could draft for a model. Hidden if there are none.
Card {
    id: card

    required property DraftChoice draft  // may be null
    property LoadForecast forecast: null
    readonly property bool foreseen: forecast !== null && draft !== null && draft.chosen !== "" && forecast.model === draft.model
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
        Label {
            objectName: "draftForecast"
            visible: card.foreseen && text !== ""
            text: !card.foreseen ? "" : card.forecast.draftLeft !== "" ? card.forecast.draftLeft : card.forecast.draftName === "" ? "" :
                qsTr("With the present settings both take %1 of %2 free. %3 of it is the draft model: weights %4, state of conversations %5, working memory %6.")
                    .arg(Figures.bytes(card.forecast.total))
                    .arg(Figures.bytes(card.forecast.room))
                    .arg(Figures.bytes(card.forecast.draftWeights + card.forecast.draftCache + card.forecast.draftScratch))
                    .arg(Figures.bytes(card.forecast.draftWeights))
                    .arg(Figures.bytes(card.forecast.draftCache))
                    .arg(Figures.bytes(card.forecast.draftScratch))
            kind: "note"
            color: card.foreseen && card.forecast.draftLeft !== "" ? Theme.colors.warn : Theme.colors.muted
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
    }
}
