import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The share of the context that the next prompt needs, including the draft; amber if little room is left for a reply, red if
// it does not fit.
Item {
    id: meter

    required property ContextGuard context
    property bool writing: false  // a reply, which counts with its prompt

    readonly property int remaining: context.contextLength - context.tokens
    readonly property color ink: remaining <= 0 ? Theme.colors.bad : remaining < context.room ? Theme.colors.warn : Theme.colors.accent
    readonly property string words: qsTr("%1 of %2 tokens").arg(Figures.integer(context.tokens)).arg(Figures.integer(context.contextLength))

    // After a reply it differs from the live panel's context, which is that reply's.
    readonly property string named: writing ? words : qsTr("Next prompt: %1").arg(words)

    implicitHeight: row.implicitHeight
    Accessible.role: Accessible.StaticText
    Accessible.name: context.server !== "" ? elsewhere.text : context.known ? named : ""

    Label {
        id: elsewhere
        anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter }
        visible: meter.context.server !== "" && parent.width > Theme.space(20)
        kind: "note"
        text: qsTr("Tokens are counted by %1").arg(meter.context.server)
        color: Theme.colors.faint
        elide: Text.ElideRight
    }

    RowLayout {
        id: row
        anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter }
        visible: meter.context.known && meter.context.server === "" && parent.width > Theme.space(20)
        spacing: Theme.space(2)
        Bar {
            visible: meter.width > Theme.space(50)
            Layout.preferredWidth: Theme.space(16)
            implicitHeight: Theme.space(1.5)
            values: [Math.min(meter.context.tokens, meter.context.contextLength)]
            inks: [meter.ink]
            total: meter.context.contextLength
            Accessible.ignored: true
        }
        Label {
            kind: "note"
            text: title.implicitWidth <= width ? meter.named : meter.words
            color: meter.remaining < meter.context.room ? meter.ink : Theme.colors.faint
            elide: Text.ElideRight
            Layout.fillWidth: true
        }
    }
    Label { id: title; visible: false; kind: "note"; text: meter.named }
    HoverHandler { id: hover }
    Tip {
        visible: hover.hovered && (meter.context.known || meter.context.server !== "")
        text: meter.context.server !== "" ?
            qsTr("Only the server knows how many tokens the messages are, and whether they fit: it is not asked before they are sent.") :
            qsTr("The prompt as it would be sent now takes %1 of the context, without what the model's template leaves out of earlier replies, such as thoughts. %2 of them are in the cache and need not be read again.")
              .arg(meter.words).arg(Figures.integer(meter.context.reusable))
    }
}
