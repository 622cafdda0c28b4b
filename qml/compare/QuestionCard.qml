import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The prompt for all models, and the options.
Card {
    id: card

    required property CompareController compare
    property bool narrow: false

    readonly property var lengths: [32, 64, 96, 192, 384]
    implicitHeight: column.implicitHeight + 2 * padding
    padding: Theme.space(3)

    function focusText(): void { prompt.forceActiveFocus() }

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2)
        TextArea {
            id: prompt
            Layout.fillWidth: true
            maximumHeight: Theme.space(30)
            Accessible.name: qsTr("Prompt")
            Component.onCompleted: text = card.compare.prompt
            onTextChanged: card.compare.prompt = text
            Connections {
                target: card.compare
                function onPromptChanged() { if (prompt.text !== card.compare.prompt) prompt.text = card.compare.prompt }
            }
            Label {
                visible: prompt.text === ""
                text: qsTr("What should all of them answer? One prompt per line.")
                color: Theme.colors.faint
                x: Theme.space(2.5)
                y: Theme.space(2)
                width: parent.width - 2 * x
                elide: Text.ElideRight
                Accessible.ignored: true
            }
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.space(2)
            ComboBox {
                model: [qsTr("One after another"), qsTr("Side by side")]
                currentIndex: card.compare.interleaved ? 1 : 0
                onActivated: index => card.compare.interleaved = index === 1
                Accessible.name: qsTr("Order")
                width: Theme.space(46)
            }
            ComboBox {
                model: [qsTr("Greedy"), qsTr("Sampled as in the chat")]
                currentIndex: card.compare.greedy ? 0 : 1
                onActivated: index => card.compare.greedy = index === 0
                Accessible.name: qsTr("Sampling")
                width: Theme.space(52)
            }
            ComboBox {
                model: card.lengths.map(n => qsTr("At most %1 tokens").arg(n))
                currentIndex: card.lengths.indexOf(card.compare.maxTokens)
                displayText: qsTr("At most %1 tokens").arg(card.compare.maxTokens)
                onActivated: index => card.compare.maxTokens = card.lengths[index]
                Accessible.name: qsTr("Length of a reply")
                width: Theme.space(48)
            }
            Label {
                kind: "note"
                height: Theme.hit
                verticalAlignment: Text.AlignVCenter
                text: card.compare.interleaved ?
                    qsTr("All loaded at once: for comparing replies") :
                    qsTr("One loaded at a time: for comparing speeds")
            }
        }
    }
}
