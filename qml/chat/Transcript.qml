import QtQuick
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The messages in a centred column. Follows the end only if the user has scrolled there; a button returns to it.
Item {
    id: transcript

    required property ChatController chat
    required property ContextGuard context
    required property bool showThinking
    property real columnWidth: Math.min(Theme.space(190), width - Theme.space(width < Theme.space(150) ? 6 : 15))
    property bool following: true

    signal promptRequested(int row)
    signal attachmentRequested(int row, int position)
    signal textRequested(int row)
    signal focusLeft()

    function toEnd(): void { following = true; list.stick() }
    function page(by: int): void { list.scrollBy(by * list.height * 0.9) }
    function focusEditor(row: int): void {
        list.positionViewAtIndex(row, ListView.Contain)
        const message = list.itemAtIndex(row) as MessageDelegate
        if (message) message.focusEditor()
    }
    function reveal(row: int): void {
        following = false
        list.positionViewAtIndex(row, ListView.Beginning)
        found.message = list.itemAtIndex(row)
        faded.restart()
    }

    TextMenu {}  // below the messages
    ListView {
        id: list
        anchors.fill: parent
        model: transcript.chat.messages
        spacing: Theme.space(5)
        topMargin: Theme.space(6)
        bottomMargin: Theme.space(6)
        cacheBuffer: bar.pressed ? 0 : 600  // do not create messages that a dragged scroll bar passes
        currentIndex: -1  // the view would keep a current message visible
        highlightFollowsCurrentItem: false
        boundsBehavior: Flickable.StopAtBounds
        reuseItems: false
        clip: true
        T.ScrollBar.vertical: ScrollBar { id: bar }
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Messages")

        readonly property bool atEnd: contentHeight + bottomMargin - (contentY - originY) - height < Theme.space(12)
        onMovementStarted: transcript.following = false  // dragged or flicked
        onMovementEnded: transcript.following = atEnd
        function scrollBy(down: real): void {
            contentY = Math.max(originY - topMargin, Math.min(lowestNow(), contentY + down))
            transcript.following = atEnd && (down > 0 || transcript.following)
        }
        // Heights are estimated until delegates are created, which changes the estimate: hence the second check.
        function stick(): void {
            if (!transcript.following || count === 0) return
            if (!atVeryEnd) positionViewAtEnd()
            if (!atVeryEnd) contentY = lowest
        }
        // Scrolls by the least that shows the caret of an editor, which may be higher than the view.
        function showCaret(top: real, bottom: real): void {
            const room = Theme.space(3), above = top - room - contentY, below = bottom + room - (contentY + height)
            const by = above < 0 ? above : Math.min(above, Math.max(0, below))
            if (Math.abs(by) < 1) return
            transcript.following = false
            contentY = Math.max(originY - topMargin, Math.min(lowestNow(), contentY + by))
        }
        function lowestNow(): real { return Math.max(originY - topMargin, originY + contentHeight + bottomMargin - height) }
        readonly property real lowest: lowestNow()
        readonly property bool atVeryEnd: Math.abs(contentY - lowest) < 1
        // Scroll immediately, so that new text and scrolling share a frame. Not over longer distances (when a conversation is opened):
        // positions are estimates, and all messages in between would be created. `lowest` is updated after this handler.
        onContentHeightChanged: {
            const end = lowestNow()
            if (transcript.following && count > 0 && contentY < end && end - contentY < height) contentY = end
            settle.restart()
        }
        onOriginYChanged: settle.restart()
        onHeightChanged: settle.restart()
        onCountChanged: settle.restart()
        Timer { id: settle; interval: 0; onTriggered: list.stick() }
        Connections {
            target: bar
            function onPressedChanged() { if (!bar.pressed) transcript.following = list.atEnd; else transcript.following = false }
        }
        WheelHandler {
            onWheel: event => {
                const distance = event.pixelDelta.y !== 0 ? event.pixelDelta.y : event.angleDelta.y / 120 * 3 * Theme.bodySize * 1.5
                list.scrollBy(-distance)
            }
        }
        delegate: MessageDelegate {
            x: Math.round((list.width - width) / 2)
            width: transcript.columnWidth
            chat: transcript.chat
            context: transcript.context
            showThinking: transcript.showThinking
            actionsWanted: !bar.pressed
            actionsWidth: actionsOfAReply.plainWidth
            onHeightChanged: if (status === MessageModel.Streaming) list.forceLayout()  // or the list moves during the frame's layout
            onPromptRequested: transcript.promptRequested(index)
            onAttachmentRequested: position => transcript.attachmentRequested(index, position)
            onTextRequested: transcript.textRequested(index)
            onEndRequested: transcript.toEnd()
            onFocusLeft: transcript.focusLeft()
            onCaretMoved: (top, bottom) => list.showCaret(y + top, y + bottom)
        }
    }
    Rectangle {
        id: found
        property Item message: null  // the search result scrolled to
        parent: list.contentItem
        z: -1
        x: message ? message.x - Theme.space(2) : 0
        y: message ? message.y - Theme.space(2) : 0
        width: message ? message.width + Theme.space(4) : 0
        height: message ? message.height + Theme.space(4) : 0
        radius: Theme.radius
        color: Theme.colors.accent
        opacity: faded.running ? 0.12 : 0
        Behavior on opacity { NumberAnimation { duration: Theme.motion * 2 } }
        Timer { id: faded; interval: 1500 }
    }
    ReplyActions { id: actionsOfAReply; visible: false; room: transcript.columnWidth }
    Connections {
        target: transcript.context
        function onEditRejected(row: int) { transcript.focusEditor(row) }
    }
    IconButton {
        anchors { horizontalCenter: parent.horizontalCenter; bottom: parent.bottom; bottomMargin: Theme.space(3) }
        visible: !transcript.following && !list.atEnd
        iconName: "arrow-down"
        kind: "main"
        tip: Actions.tip("chat.end")
        onClicked: transcript.toEnd()
    }
}
