import QtQuick
import Minerva.App
import Minerva.Chat.Blocks
import Minerva.Components
import Minerva.Theme

// One message: the user's in a bubble on the right, the model's as blocks across the column, with its actions below.
// Its height must be final on creation, or the list view jumps. So it uses columns and explicit widths instead of
// layouts, which are resolved one frame later.
Item {
    id: message

    required property int index
    required property int author
    required property int status
    required property string statusText
    required property BlockModel blocks
    required property string text
    required property int versionIndex
    required property int versionCount
    required property string timings
    required property string modelName
    required property var error
    required property int prefillDone
    required property int prefillTotal
    required property int leftOutAbove
    required property bool last
    required property bool replaceable
    required property bool editing
    required property string editText  // current text of the edit
    required property int tokensTaken
    required property var attachments  // [{name, bytes}]

    required property ChatController chat
    required property ContextGuard context
    required property bool showThinking
    required property bool actionsWanted  // false: create none for new delegates, because dragging the scroll bar passes many
    required property real actionsWidth   // for a complete reply
    signal promptRequested()
    signal attachmentRequested(int position)
    signal textRequested()
    signal endRequested()  // a reply was asked for
    signal focusLeft()     // the editor or button that had the focus goes
    signal caretMoved(real top, real bottom)  // of the editor that has the focus
    property bool editorWanted: false  // focus the editor when it is created, but not one that is scrolled into view

    readonly property bool own: author === MessageModel.User
    // Depends on the context length, so that it is evaluated again when the context changes.
    readonly property bool roomForMore: status !== MessageModel.ContextFull ||
        (context.contextLength >= 0 && context.hasRoomAfter(tokensTaken))
    readonly property bool continuable: replaceable && status >= MessageModel.Stopped && text.trim() !== "" && roomForMore
    readonly property bool running: status === MessageModel.Waiting || status === MessageModel.Streaming

    implicitHeight: column.implicitHeight
    Accessible.role: Accessible.ListItem
    Accessible.name: own ? qsTr("You") : author === MessageModel.System ? qsTr("System prompt") : modelName === "" ? qsTr("Reply") : modelName

    function beginEdit(): void {
        editorWanted = true
        chat.beginEdit(index)
    }
    function finish(done: bool): void {
        if (!done) return
        endRequested()
        focusLeft()
    }
    function focusEditor(): void { (editorPart.item as MessageEditor)?.focusText() }

    HoverHandler { id: hover }

    Column {
        id: column
        width: parent.width
        spacing: Theme.space(2)

        Part {
            active: message.leftOutAbove > 0
            sourceComponent: Item {
                implicitHeight: cut.implicitHeight + Theme.space(3)
                CutLine {
                    id: cut
                    width: parent.width
                    messages: message.index
                    tokens: message.leftOutAbove
                    enabledActions: !message.chat.generating
                    onPutBack: message.chat.putBack(message.index)
                }
            }
        }
        Part {
            active: message.attachments.length > 0
            sourceComponent: MessageFiles { files: message.attachments; onShowRequested: position => message.attachmentRequested(position) }
        }
        Part {
            active: message.own && !message.editing
            sourceComponent: Item {
                readonly property bool wordless: message.text === ""  // only files
                implicitHeight: wordless ? actions.height : Math.max(bubble.height, actions.height)
                OwnMessage {
                    id: bubble
                    visible: !parent.wordless
                    anchors.right: parent.right
                    text: message.text
                    width: Math.min(implicitWidth, Math.floor(message.width * 0.88), message.width - Theme.space(18))
                    onWholeRequested: message.textRequested()
                }
                Loader {
                    id: actions
                    anchors {
                        right: parent.wordless ? parent.right : bubble.left
                        rightMargin: parent.wordless ? 0 : Theme.space(1)
                        verticalCenter: parent.verticalCenter
                    }
                    width: 2 * Theme.hit
                    height: Theme.hit
                    active: message.actionsWanted || item !== null
                    sourceComponent: OwnActions {
                        opacity: hover.hovered || activeFocusInside ? 1 : 0
                        enabledActions: !message.chat.generating
                        onCopy: message.chat.copyMessage(message.index)
                        onEdit: message.beginEdit()
                    }
                }
            }
        }
        // The text is stored by the chat controller, so it survives a rejection or scrolling out of view. Closed when sent or saved.
        Part {
            id: editorPart
            active: message.editing
            sourceComponent: MessageEditor {
                original: message.editText
                emptyAllowed: message.attachments.length > 0
                reply: !message.own
                canSend: message.chat.canSend
                canSave: !message.chat.generating
                takesEsc: !message.context.blocked
                onTyped: text => message.chat.setEdit(message.index, text)
                onCaretMoved: (top, bottom) => {
                    const from = mapToItem(message, 0, 0).y
                    message.caretMoved(from + top, from + bottom)
                }
                onAccepted: text => message.finish(message.own ? message.context.editAndResend(message.index, text) :
                    message.context.continueReply(message.index, text))
                onSaved: text => {
                    const delegate = message
                    if (delegate.chat.saveReply(delegate.index, text)) delegate.focusLeft()  // nothing new is written at the end
                }
                onCancelled: {
                    const delegate = message  // this editor goes with the edit
                    delegate.chat.cancelEdit(delegate.index)
                    delegate.focusLeft()
                }
                Component.onCompleted: if (message.editorWanted) { message.editorWanted = false; focusText() }
            }
        }
        Column {
            id: reply
            visible: !message.own && !message.editing
            width: parent.width
            Repeater {
                id: repeater
                model: message.own ? null : message.blocks
                onItemAdded: if (message.status === MessageModel.Streaming) { reply.forceLayout(); column.forceLayout() }
                BlockDelegate {
                    width: column.width
                    caret: message.status === MessageModel.Streaming && index === repeater.count - 1
                    showThinking: message.showThinking
                    // Lay out now: items moved during the layout of a frame would cause a second frame without changes.
                    onHeightChanged: if (caret) { reply.forceLayout(); column.forceLayout() }
                    onCopyRequested: text => message.chat.copyText(text)
                }
            }
        }
        Part {
            active: message.status === MessageModel.Waiting
            sourceComponent: WaitingLine {
                done: message.prefillDone
                total: message.prefillTotal
                stopping: message.chat.stopping
            }
        }
        Part {
            active: message.error.isSet
            sourceComponent: ErrorCard {
                error: message.error
                actionText: message.last && message.replaceable && message.chat.canSend ? qsTr("Try again") : ""
                onAction: message.finish(message.context.regenerate(message.index))
            }
        }
        Part {
            active: !message.running && !message.editing && (!message.own || message.versionCount > 1)
            sourceComponent: MessageFooter {
                own: message.own
                actionsWanted: message.actionsWanted
                actionsWidth: message.actionsWidth
                statusText: message.statusText
                timings: message.timings
                versionIndex: message.versionIndex
                versionCount: message.versionCount
                enabledActions: !message.chat.generating
                canReply: message.chat.canSend
                onCopy: message.chat.copyMessage(message.index)
                continuable: message.continuable
                replaceable: message.replaceable
                calm: message.status === MessageModel.Complete
                onGoOn: message.finish(message.context.continueReply(message.index))
                onEdit: message.beginEdit()
                onTryAgain: message.finish(message.context.regenerate(message.index))
                onPrompt: message.promptRequested()
                onBranch: message.chat.branch(message.index)
                onTiming: message.chat.showTiming(message.index)
                onVersion: delta => message.chat.selectVersion(message.index, delta)
            }
        }
    }
    // Created on demand: the frame in which a message appears competes for the processor with computing its prompt.
    component Part: Loader {
        visible: active
        width: column.width
    }
}
