import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Shown if a message does not fit into the context: how much too long it is, which messages would be dropped, and the
// options. Nothing is sent until the user chooses one; Esc keeps editing.
Rectangle {
    id: card

    required property ContextGuard context
    property bool covered: false  // by a sheet, which then handles Esc

    readonly property int shown: 4  // maximum number of dropped messages listed

    implicitHeight: column.implicitHeight + Theme.space(7)
    radius: Theme.cardRadius
    color: Theme.colors.warnSoft
    border.width: 1
    border.color: Theme.colors.line
    Accessible.role: Accessible.AlertMessage
    Accessible.name: headline.text + " " + figures.text

    Shortcut { sequence: "Esc"; enabled: card.visible && !card.covered; onActivated: card.context.keepEditing() }

    ColumnLayout {
        id: column
        anchors {
            left: parent.left
            right: parent.right
            top: parent.top
            margins: Theme.space(3.5)
            leftMargin: Theme.space(4)
            rightMargin: Theme.space(4)
        }
        spacing: Theme.space(1.5)
        RowLayout {
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Icon { icon: "warning"; color: Theme.colors.warn }
            Label {
                id: headline
                text: qsTr("This does not fit into the context")
                font.weight: Font.DemiBold
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
        }
        Label {
            id: figures
            kind: "note"
            color: Theme.colors.text
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            text: qsTr("The prompt takes %1 tokens and the reply needs %2; the context holds %3. That is %4 too many. Nothing has been sent.")
                .arg(Figures.integer(card.context.promptTokens))
                .arg(Figures.integer(card.context.room))
                .arg(Figures.integer(card.context.promptTokens + card.context.room - card.context.excess))
                .arg(Figures.integer(card.context.excess))
        }
        Label {
            visible: card.context.leaving.length > 0
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(1)
            text: qsTr("Dropping the oldest leaves these out of the prompt; they stay in the transcript:")
        }
        LayoutRepeater {
            model: card.context.leaving.slice(0, card.shown)
            RowLayout {
                id: row
                required property var modelData
                spacing: Theme.space(3)
                Layout.fillWidth: true
                Label { kind: "note"; text: row.modelData.own ? qsTr("You") : qsTr("Reply"); Layout.preferredWidth: Theme.space(12) }
                Label {
                    kind: "note"
                    color: Theme.colors.text
                    text: row.modelData.text
                    elide: Text.ElideRight
                    maximumLineCount: 1
                    Layout.fillWidth: true
                }
                Label { kind: "note"; text: qsTr("%1 tokens").arg(Figures.integer(row.modelData.tokens)) }
            }
        }
        Label {
            visible: card.context.leaving.length > card.shown
            kind: "note"
            text: qsTr("and %1 more").arg(card.context.leaving.length - card.shown)
        }
        Label {
            visible: text !== ""
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            text: card.context.largerContext > 0 && !card.context.canEnlarge ?
                qsTr("A context of %1 would take %2 more memory; %3 is free.")
                    .arg(Figures.integer(card.context.largerContext))
                    .arg(Figures.bytes(card.context.largerBytes))
                    .arg(Figures.bytes(card.context.bytesFree)) :
                card.context.blocked && card.context.largerContext === 0 && card.context.leaving.length === 0 ?
                qsTr("The message itself is too long for this model: shorten it.") : ""
        }
        Flow {
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(1.5)
            Button { kind: "main"; text: qsTr("Keep editing"); tip: qsTr("Esc"); onClicked: card.context.keepEditing() }
            Button {
                visible: card.context.leaving.length > 0
                text: qsTr("Drop the oldest %1 (%2 tokens)")
                    .arg(card.context.leaving.length).arg(Figures.integer(card.context.leavingTokens))
                tip: qsTr("The prompt then has %1 tokens").arg(Figures.integer(card.context.tokensAfterDrop))
                onClicked: card.context.dropOldest()
            }
            Button {
                visible: card.context.shortestReply > 0
                text: qsTr("Shorter reply (at most %1 tokens)").arg(Figures.integer(card.context.shortestReply))
                onClicked: card.context.shortenReply()
            }
            Button {
                visible: card.context.canEnlarge
                text: qsTr("Load with a context of %1 (+ %2)")
                    .arg(Figures.integer(card.context.largerContext)).arg(Figures.bytes(card.context.largerBytes))
                tip: qsTr("The model is loaded again, then the message is sent")
                onClicked: card.context.enlargeContext()
            }
        }
    }
}
