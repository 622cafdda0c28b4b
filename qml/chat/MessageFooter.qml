import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Below a message: actions on a reply, version switcher, how it ended and how long it took.
Item {
    id: footer

    required property bool own
    required property string statusText
    required property string timings
    required property int versionIndex
    required property int versionCount
    required property bool enabledActions
    property bool canReply: enabledActions  // a model could reply now
    property bool continuable: false  // it ended before it was complete
    property bool replaceable: true   // it answers a message: it can be edited and written again
    property bool actionsWanted: true  // if false, the actions are created when it becomes true
    property real actionsWidth: -1     // of a reply that cannot be continued; -1: unknown
    property bool calm: false         // the status is not a warning
    signal copy()
    signal tryAgain()
    signal goOn()
    signal edit()
    signal branch()
    signal timing()
    signal prompt()
    signal version(int delta)

    readonly property bool mirrored: ended.effectiveLayoutDirection === Qt.RightToLeft
    // What does not fit beside the actions goes below: first the timing, then the status. Depends on texts, not on
    // visibility, so that a page in the background has the same height.
    readonly property bool timed: timings !== ""
    readonly property bool endBeside: actions.width + ended.width + Theme.space(5) <= width  // "Copied" is wider than "Copy"
    readonly property bool oneLine: endBeside && (!timed || actions.width + ended.width + timing.implicitWidth + Theme.space(3) <= width)
    readonly property bool timingBelow: timed && !endBeside && ended.width + timing.implicitWidth > width
    implicitHeight: Theme.hit * (oneLine ? 1 : timingBelow ? 3 : 2)

    Loader {
        id: actions
        readonly property bool widthKnown: footer.actionsWidth >= 0 && !footer.continuable && footer.replaceable
        x: footer.mirrored ? footer.width - width : 0
        width: footer.own ? 0 : widthKnown ? footer.actionsWidth : implicitWidth
        active: !footer.own && (footer.actionsWanted || !widthKnown || item !== null)
        sourceComponent: ReplyActions {
            room: footer.width
            continuable: footer.continuable
            replaceable: footer.replaceable
            enabledActions: footer.enabledActions
            canReply: footer.canReply
            mirrored: footer.mirrored
            onCopy: footer.copy()
            onGoOn: footer.goOn()
            onTryAgain: footer.tryAgain()
            onEdit: footer.edit()
            onBranch: footer.branch()
            onPrompt: footer.prompt()
        }
    }
    Row {
        id: ended
        readonly property real place: !footer.endBeside ? 0 :
            footer.width - width - (footer.oneLine && footer.timed ? timing.width + Theme.space(1) : 0)
        x: footer.mirrored ? footer.width - width - place : place
        y: footer.endBeside ? 0 : Theme.hit
        height: Theme.hit
        Label {
            visible: text !== ""
            anchors.verticalCenter: parent.verticalCenter
            kind: "note"
            color: footer.calm ? Theme.colors.muted : Theme.colors.warn
            text: footer.statusText
            leftPadding: footer.mirrored ? Theme.space(2) : 0
            rightPadding: Theme.space(2) - leftPadding
        }
        Loader {
            active: footer.versionCount > 1
            visible: active
            sourceComponent: Row {
                IconButton {
                    iconName: "chevron-left"
                    tip: qsTr("Previous version")
                    enabled: footer.enabledActions && footer.versionIndex > 1
                    implicitWidth: Theme.space(6)
                    onClicked: footer.version(-1)
                }
                Label { anchors.verticalCenter: parent.verticalCenter; kind: "note"; text: footer.versionIndex + "/" + footer.versionCount }
                IconButton {
                    iconName: "chevron-right"
                    tip: qsTr("Next version")
                    enabled: footer.enabledActions && footer.versionIndex < footer.versionCount
                    implicitWidth: Theme.space(6)
                    onClicked: footer.version(1)
                }
            }
        }
    }
    Button {
        id: timing
        visible: footer.timed
        anchors { right: parent.right; bottom: parent.bottom }
        width: Math.min(implicitWidth, footer.width)
        kind: "quiet"
        text: footer.timings
        tip: qsTr("Timing: where the time of this reply went")
        leftPadding: Theme.space(footer.mirrored ? 1 : 2)
        rightPadding: Theme.space(footer.mirrored ? 2 : 1)
        onClicked: footer.timing()
    }
}
