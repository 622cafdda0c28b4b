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
        Repeater {
            model: card.columns
            ColumnLayout {
                id: row
                required property string format
                required property string label
                required property bool reference
                required property int stage
                required property var difference
                required property var figures
                visible: stage === ColumnModel.Done && !reference
                spacing: Theme.space(0.5)
                RowLayout {
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
                GridLayout {
                    visible: row.difference.step >= 0
                    columns: 2
                    columnSpacing: Theme.space(2)
                    rowSpacing: Theme.space(0.5)
                    Label { text: qsTr("here"); kind: "label"; Layout.preferredWidth: Theme.space(34) }
                    Label {
                        kind: "note"; color: Theme.colors.text; wrapMode: Text.Wrap; Layout.fillWidth: true
                        text: card.quoted(row.difference.ownToken ?? "") + card.share(row.difference.ownInOwn) + " · " +
                            card.quoted(row.difference.referenceToken ?? "") + card.share(row.difference.referenceInOwn)
                    }
                    ElidedLabel {
                        text: card.reference
                        kind: "label"
                        horizontalAlignment: Text.AlignLeft
                        Layout.preferredWidth: Theme.space(34)
                    }
                    Label {
                        kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true
                        text: card.quoted(row.difference.referenceToken ?? "") + card.share(row.difference.referenceInReference) + " · " +
                            card.quoted(row.difference.ownToken ?? "") + card.share(row.difference.ownInReference)
                    }
                }
            }
        }
    }
}
