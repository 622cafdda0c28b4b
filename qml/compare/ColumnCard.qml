import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One model of the comparison: its name and format, its reply, and its live figures.
Card {
    id: card

    required property int index
    required property string name
    required property string path
    required property string format
    required property string type
    required property string label
    required property int stage
    required property string stageText
    required property double progress
    required property bool reference
    required property var figures
    required property var speeds
    required property bool pieces
    required property string text
    required property int markStart
    required property int markLength
    required property int tokens
    required property var notes
    required property var error
    property bool choosing: false
    signal removed()

    readonly property bool busy: stage > ColumnModel.Waiting && stage < ColumnModel.Done
    readonly property bool follows: stage === ColumnModel.Writing
    readonly property bool marked: markStart >= 0 && !busy
    readonly property bool begun: text !== "" || busy
    readonly property string html: {
        const safe = part => part.replace(/&/g, "&amp;").replace(/</g, "&lt;")
        const end = markStart + markLength
        return '<p style="white-space:pre-wrap;margin:0;line-height:' + Math.round(100 * Theme.lineFactor) + '%">' +
            safe(text.slice(0, markStart)) +
            '<span style="background-color:' + Theme.colors.warnSoft + '">' + safe(text.slice(markStart, end)) + "</span>" +
            safe(text.slice(end)) + "</p>"
    }

    Accessible.role: Accessible.Grouping
    Accessible.name: label + ", " + format + " " + type + (stageText !== "" ? ", " + stageText : "")
    implicitHeight: column.implicitHeight + 2 * padding

    ColumnLayout {
        id: column
        width: parent.width
        height: parent.height
        spacing: Theme.space(2)
        RowLayout {
            spacing: Theme.space(2)
            Layout.preferredHeight: Theme.hit
            FormatTag { format: card.format }
            ElidedLabel {
                text: card.label
                whole: card.name + "\n" + card.path
                horizontalAlignment: Text.AlignLeft
                Layout.fillWidth: true
            }
            Label { visible: text !== "" && !card.label.endsWith(text); text: card.type; color: Theme.colors.muted }
            Digits {  // always in the layout: a layout does not reposition an item that appears and resizes at the same time
                Layout.alignment: Qt.AlignRight | Qt.AlignVCenter
                text: !(card.figures.decode > 0) ? "" :
                    card.pieces ? qsTr("%1 pieces/s").arg(Figures.speed(card.figures.decode)) :
                    qsTr("%1 tok/s").arg(Figures.speed(card.figures.decode))
                pixelSize: Theme.bodySize
                weight: Font.DemiBold
            }
            IconButton {
                visible: card.choosing
                iconName: "close"
                tip: qsTr("Remove %1 from the comparison").arg(card.label)
                onClicked: card.removed()
            }
        }
        ColumnLayout {
            visible: card.busy && !card.follows || !card.choosing && !card.begun && card.stageText !== ""
            spacing: Theme.space(1.5)
            Label { text: card.stageText; kind: "note" }
            Progress {
                visible: card.busy
                indeterminate: card.progress < 0
                value: Math.max(0, card.progress)
                Layout.fillWidth: true
                Accessible.name: card.stageText
            }
        }
        ErrorCard {
            visible: card.stage === ColumnModel.Failed
            error: card.error
            Layout.fillWidth: true
        }
        Flickable {
            id: scroll
            visible: card.begun
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredHeight: Math.min(reply.implicitHeight, Theme.space(44))
            Layout.minimumHeight: card.begun && card.stage !== ColumnModel.Failed ? Theme.space(22) : 0
            contentHeight: reply.implicitHeight
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentHeight > height
            activeFocusOnTab: interactive
            Accessible.role: Accessible.StaticText
            Accessible.name: card.text
            onContentHeightChanged: if (card.follows) contentY = Math.max(0, contentHeight - height)
            Keys.onUpPressed: contentY = Math.max(0, contentY - Theme.space(6))
            Keys.onDownPressed: contentY = Math.min(Math.max(0, contentHeight - height), contentY + Theme.space(6))
            T.ScrollBar.vertical: ScrollBar {}
            PlainText {
                id: reply
                width: scroll.width - Theme.space(2)
                text: card.marked ? card.html : card.text
                textFormat: card.marked ? Text.RichText : Text.PlainText
                color: Theme.colors.text
                font.family: Theme.sans
                font.pixelSize: Theme.bodySize
                lineHeight: Theme.lineFactor
                wrapMode: Text.Wrap
            }
            FocusRing { shown: scroll.activeFocus; around: 0 }
        }
        Item { visible: !card.begun; Layout.fillHeight: true }
        LayoutRepeater {
            model: card.notes
            Label {
                required property string modelData
                text: modelData
                kind: "label"
                color: Theme.colors.warn
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
        }
        RowLayout {
            visible: card.begun
            spacing: Theme.space(3)
            Label {
                kind: "note"
                elide: Text.ElideRight
                Layout.fillWidth: true
                text: [card.figures.ttft > 0 ? qsTr("TTFT %1").arg(Figures.duration(card.figures.ttft)) : "",
                       card.tokens > 0 ? qsTr("%n tokens", "", card.tokens) : "",
                       card.stage === ColumnModel.Stopped ? qsTr("stopped") : "",
                       card.reference ? qsTr("most precise") : ""].filter(part => part !== "").join(" · ")
            }
            SeriesLine {
                visible: points.length > 1
                points: card.speeds
                upper: Math.max(1, highest) * 1.1
                color: Theme.formatColor(card.format)
                thickness: 1.5 * Theme.scale
                Layout.preferredWidth: Theme.space(18)
                Layout.preferredHeight: Theme.space(5)
                Accessible.role: Accessible.Chart
                Accessible.name: qsTr("Decode speed over the reply")
                HoverHandler { id: hover }
                Tip { visible: hover.hovered; text: qsTr("Decode speed over the reply") }
            }
        }
    }
}
