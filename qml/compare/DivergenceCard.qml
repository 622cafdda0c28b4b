import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The first token at which each reply differs from the reference's, and the probabilities both models gave to both tokens.
Card {
    id: card

    required property ColumnModel columns
    required property string reference

    implicitHeight: list.implicitHeight + 2 * padding

    function quoted(token: string): string { return token === "" ? qsTr("the end") : "“" + token.replace(/\n/g, "↵") + "”" }
    function share(p: real): string {
        return isNaN(p) || p === undefined ? "" :
            p < 0.001 ? " < " + Figures.decimal(0.1, 1) + " %" :
            " " + Figures.decimal(p * 100, 1) + " %"
    }

    // A model's name, and the tokens it chose between.
    component Prediction: Item {
        property alias by: name.text
        property alias tokens: given.text
        property alias color: given.color
        implicitHeight: Math.max(name.implicitHeight, given.implicitHeight)
        ElidedLabel {
            id: name
            kind: "label"
            horizontalAlignment: Text.AlignLeft
            width: Theme.space(34)
            anchors.left: parent.left
        }
        Label {
            id: given
            kind: "note"
            wrapMode: Text.Wrap
            anchors { left: name.right; leftMargin: Theme.space(2); right: parent.right }
        }
    }

    ColumnLayout {
        id: list
        width: parent.width
        spacing: Theme.space(2.5)
        Label {
            text: qsTr("First token that differs")
            kind: "label"
            font.weight: Font.DemiBold
            elide: Text.ElideRight
            Layout.fillWidth: true
        }
        LayoutRepeater {
            model: card.columns
            // Not nested layouts: those of Qt 6.4 keep the height of a text that was wrapped at an earlier width.
            Column {
                id: row
                required property string format
                required property string label
                required property bool reference
                required property int stage
                required property var difference
                required property var figures
                visible: stage === ColumnModel.Done && !reference
                spacing: Theme.space(0.5)
                Layout.fillWidth: true
                RowLayout {
                    width: row.width
                    spacing: Theme.space(2)
                    FormatTag { format: row.format }
                    ElidedLabel { text: row.label; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true }
                    Label {
                        kind: "note"
                        text: isNaN(row.figures.kl) ? qsTr("not comparable") :
                            row.difference.step < 0 ? qsTr("no token differs") :
                            qsTr("token %1").arg(row.difference.step + 1)
                    }
                }
                Prediction {
                    visible: row.difference.step >= 0
                    width: row.width
                    by: qsTr("here")
                    color: Theme.colors.text
                    tokens: card.quoted(row.difference.ownToken ?? "") + card.share(row.difference.ownInOwn) + " · " +
                        card.quoted(row.difference.referenceToken ?? "") + card.share(row.difference.referenceInOwn)
                }
                Prediction {
                    visible: row.difference.step >= 0
                    width: row.width
                    by: card.reference
                    tokens: card.quoted(row.difference.referenceToken ?? "") + card.share(row.difference.referenceInReference) + " · " +
                        card.quoted(row.difference.ownToken ?? "") + card.share(row.difference.ownInReference)
                }
            }
        }
    }
}
