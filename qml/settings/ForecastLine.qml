import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The memory the model needs with the current settings: each part, and the total compared with the available memory.
ColumnLayout {
    id: line

    required property LoadForecast forecast
    property int asked: 0  // context length in the settings; 0: the model's

    spacing: Theme.space(1)
    Accessible.role: Accessible.StaticText
    Accessible.name: [sum.text, parts.text, draft.text].filter(text => text !== "").join(". ")

    RowLayout {
        spacing: Theme.space(2)
        Label {
            id: sum
            text: qsTr("%1 with these settings: %2 of %3 free")
                .arg(line.forecast.model).arg(Figures.bytes(line.forecast.total)).arg(Figures.bytes(line.forecast.room))
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Accessible.ignored: true
        }
        FitTag { fit: line.forecast.fit; Accessible.ignored: true }
    }
    Label {
        visible: line.forecast.context > 0 && line.asked > line.forecast.context
        text: qsTr("The model was made for %1 tokens: %2 would be reduced to that.")
            .arg(Figures.integer(line.forecast.context)).arg(Figures.integer(line.asked))
        kind: "note"
        color: Theme.colors.warn
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    Label {
        id: parts
        text: line.forecast.reason !== "" ? line.forecast.reason :
            qsTr("weights %1 · state of conversations of %2 tokens %3 · working memory %4")
                .arg(Figures.bytes(line.forecast.weights))
                .arg(Figures.integer(line.forecast.context))
                .arg(Figures.bytes(line.forecast.cache))
                .arg(Figures.bytes(line.forecast.scratch))
        kind: "note"
        wrapMode: Text.Wrap
        Layout.fillWidth: true
        Accessible.ignored: true
    }
    Label {
        id: draft
        visible: text !== ""
        text: line.forecast.draftLeft !== "" ? line.forecast.draftLeft : line.forecast.draftName === "" ? "" :
            qsTr("draft model %1: weights %2 · state of conversations %3 · working memory %4")
                .arg(line.forecast.draftName)
                .arg(Figures.bytes(line.forecast.draftWeights))
                .arg(Figures.bytes(line.forecast.draftCache))
                .arg(Figures.bytes(line.forecast.draftScratch))
        kind: "note"
        color: line.forecast.draftLeft !== "" ? Theme.colors.warn : Theme.colors.muted
        wrapMode: Text.Wrap
        Layout.fillWidth: true
        Accessible.ignored: true
    }
}
