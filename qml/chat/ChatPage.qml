import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Actions
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The chat page: list, transcript with composer, live panel. In narrow windows the panel becomes a strip and the list a drawer.
Item {
    id: page

    required property ChatController chat
    required property ContextGuard context
    required property PromptView prompt
    required property InferenceController inference
    required property ModelLibrary library
    required property ServerService servers
    required property PanelModel panel
    required property Presets presets
    required property Settings settings

    property real shownId: 0  // the conversation whose end is followed
    property bool firstRun: false

    readonly property bool narrow: width < Theme.space(190)
    readonly property bool roomForPanel: width >= Theme.space(260)
    readonly property bool listBeside: !narrow && settings.listVisible
    readonly property bool panelBeside: roomForPanel && settings.panelVisible

    function beginChat(): void { chat.newConversation(); composer.focusText() }
    function toggleList(): void { if (narrow) drawer.open(); else settings.listVisible = !settings.listVisible }
    function showPrompt(): void { prompt.showNext(); promptSheet.open() }

    function step(by: int): void {
        const list = chat.conversations
        for (let row = chat.currentId === 0 ? 0 : list.rowOf(chat.currentId) + by; row >= 0 && row < list.count; row += by) {
            if (list.idAt(row) === 0) continue  // a folder
            chat.select(list.idAt(row))
            return
        }
    }

    // Keys that the item with the focus has no use for: letters typed after a click on a message continue in the composer.
    Keys.onPressed: event => {
        if ((event.key === Qt.Key_PageUp || event.key === Qt.Key_PageDown) && event.modifiers === Qt.NoModifier)
            transcript.page(event.key === Qt.Key_PageUp ? -1 : 1)
        else if (event.text > " " && event.text !== "\x7f" &&
            !(event.modifiers & (Qt.ControlModifier | Qt.AltModifier | Qt.MetaModifier))) composer.type(event.text)
        else return
        event.accepted = true
    }
    ActionShortcut {
        name: "chat.folder"
        onActivated: {
            if (page.narrow) {
                drawer.open()
                drawerList.addFolder(0)
            } else {
                page.settings.listVisible = true
                list.addFolder(0)
            }
        }
    }
    ActionShortcut { name: "chat.import"; onActivated: list.importFile() }
    ActionShortcut {
        name: "chat.search"
        onActivated: {
            if (page.narrow) {
                drawer.open()
            } else {
                page.settings.listVisible = true
                list.focusSearch()
            }
        }
    }
    ActionShortcut { name: "chat.prompt"; possible: page.inference.model.server === ""; onActivated: page.showPrompt() }
    ActionShortcut { name: "chat.list"; onActivated: page.toggleList() }
    ActionShortcut { name: "chat.panel"; onActivated: page.settings.panelVisible = !page.settings.panelVisible }
    ActionShortcut { name: "chat.model"; onActivated: picker.open() }
    ActionShortcut { name: "chat.end"; onActivated: transcript.toEnd() }
    ActionShortcut { name: "chat.compose"; onActivated: composer.focusText() }
    ActionShortcut { name: "chat.attach"; onActivated: composer.attach() }
    ActionShortcut { name: "chat.undo"; possible: page.chat.canUndoDelete; onActivated: page.chat.undoDelete() }
    ActionShortcut { name: "chat.deleted"; onActivated: deletedSheet.open() }
    ActionShortcut {
        name: "chat.again"
        possible: page.chat.canSend && page.chat.messages.count > 0
        onActivated: if (page.context.regenerate(page.chat.messages.count - 1)) transcript.toEnd()
    }
    ActionShortcut {
        name: "chat.continue"
        possible: page.chat.canSend && page.context.continuable
        onActivated: if (page.context.continueReply(page.chat.messages.count - 1)) transcript.toEnd()
    }
    ActionShortcut {
        name: "chat.copy"
        possible: page.chat.messages.count > 0
        onActivated: page.chat.copyMessage(page.chat.messages.count - 1)
    }
    ActionShortcut { name: "chat.next"; possible: page.chat.conversations.count > 0; onActivated: page.step(1) }
    ActionShortcut { name: "chat.previous"; possible: page.chat.conversations.count > 0; onActivated: page.step(-1) }
    Component.onCompleted: {
        shownId = chat.currentId
        composer.focusText()
    }
    Connections {
        target: page.chat
        function onCurrentChanged() {
            if (page.chat.currentId === page.shownId) return  // it was renamed
            page.shownId = page.chat.currentId
            transcript.following = true
            if (!list.hasFocus) composer.focusText()  // unless the user is navigating the list
        }
        function onRevealed(row) { Qt.callLater(transcript.reveal, row) }
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0
        ConversationList {
            id: list
            visible: page.listBeside
            enabled: visible  // else Delete would still be for the conversation that had the focus
            chat: page.chat
            Layout.fillWidth: false
            Layout.preferredWidth: Theme.space(55) - 1
            Layout.leftMargin: Theme.space(3)
            Layout.rightMargin: Theme.space(3)
            Layout.fillHeight: true
            onChosen: composer.focusText()
            onTyped: text => composer.type(text)
            onDeletedRequested: deletedSheet.open()
        }
        Rectangle { visible: page.listBeside; Layout.fillHeight: true; implicitWidth: 1; color: Theme.colors.line }
        ColumnLayout {
            spacing: 0
            Layout.fillWidth: true
            Layout.fillHeight: true
            PageHead {
                Layout.fillWidth: true
                Layout.preferredHeight: Theme.space(12.75)
                Layout.leftMargin: Theme.space(4)
                Layout.rightMargin: Theme.space(4)
                spacing: Theme.space(2)
                IconButton { visible: !page.listBeside; iconName: "list"; tip: Actions.tip("chat.list"); onClicked: page.toggleList() }
                ElidedLabel {
                    text: page.chat.title
                    kind: "header"
                    horizontalAlignment: Text.AlignLeft
                    elide: Text.ElideRight
                    Layout.fillWidth: true
                    Layout.minimumWidth: Theme.space(10)
                }
                ModelPicker {
                    id: picker
                    inference: page.inference
                    library: page.library
                    servers: page.servers
                    showType: page.width >= Theme.space(150)
                    Layout.maximumWidth: Math.min(Theme.space(90), page.width * 0.55)
                }
                IconButton {
                    visible: page.roomForPanel && !page.settings.panelVisible
                    iconName: "panel"
                    tip: Actions.tip("chat.panel")
                    onClicked: page.settings.panelVisible = true
                }
            }
            Rectangle { Layout.fillWidth: true; implicitHeight: 1; color: Theme.colors.line }
            Item {
                Layout.fillWidth: true
                Layout.fillHeight: true
                Transcript {
                    id: transcript
                    anchors.fill: parent
                    chat: page.chat
                    context: page.context
                    showThinking: page.settings.showThinking
                    onPromptRequested: row => { page.prompt.showOfReply(row); promptSheet.open() }
                    onAttachmentRequested: (row, position) => textSheet.showFile(row, position)
                    onTextRequested: row => textSheet.showMessage(row)
                    onFocusLeft: composer.focusText()
                }
                FirstRun {
                    id: welcomeOnce
                    anchors.fill: parent
                    visible: page.firstRun && page.chat.messages.count === 0 && page.chat.conversations.count === 0 &&
                        page.chat.conversations.search === ""
                    chat: page.chat
                    inference: page.inference
                    library: page.library
                }
                Label {
                    anchors.centerIn: parent
                    visible: page.chat.reading && readingLong.passed
                    text: qsTr("Reading...")
                    kind: "note"
                    Timer {
                        id: readingLong
                        property bool passed: false
                        interval: 300
                        running: page.chat.reading
                        onRunningChanged: passed = false
                        onTriggered: passed = true
                    }
                }
                Welcome {
                    anchors.centerIn: parent
                    width: Math.min(parent.width - Theme.space(12), Theme.space(150))
                    visible: !welcomeOnce.visible && page.chat.messages.count === 0 && !page.chat.reading &&
                        page.inference.state !== InferenceController.Loading
                    chat: page.chat
                    context: page.context
                    inference: page.inference
                    library: page.library
                }
            }
            Item {
                Layout.fillWidth: true
                implicitHeight: below.implicitHeight + Theme.space(6)
                ColumnLayout {
                    id: below
                    anchors.horizontalCenter: parent.horizontalCenter
                    y: Theme.space(2)
                    width: transcript.columnWidth
                    spacing: Theme.space(2)
                    ErrorCard {
                        error: page.chat.storeError
                        dismissible: true
                        Layout.fillWidth: true
                        onDismissed: page.chat.dismissStoreError()
                    }
                    ErrorCard {
                        error: page.inference.error
                        actionText: qsTr("Try again")
                        otherText: page.inference.tooLarge ? qsTr("Load anyway") : ""
                        otherTip: qsTr("On the CPU. The computer may become slow, or the system may end Minerva; conversations are kept")
                        dismissible: true
                        Layout.fillWidth: true
                        onAction: page.inference.retry()
                        onOther: page.inference.loadAnyway()
                        onDismissed: page.inference.dismissError()
                    }
                    ErrorCard {
                        error: page.chat.attachments.refusal
                        dismissible: true
                        Layout.fillWidth: true
                        onDismissed: page.chat.attachments.dismissRefusal()
                    }
                    LoadCard {
                        visible: page.inference.state === InferenceController.Loading
                        inference: page.inference
                        Layout.fillWidth: true
                    }
                    // Created on demand: hidden figures would be laid out again after every change of their texts.
                    Loader {
                        active: !page.roomForPanel && page.settings.panelVisible && page.panel.contextTotal > 0
                        visible: active
                        Layout.fillWidth: true
                        sourceComponent: PanelStrip { panel: page.panel; inference: page.inference }
                    }
                    UndoLines {
                        chat: page.chat
                        presets: page.presets
                        Layout.fillWidth: true
                        onEditRestored: row => Qt.callLater(transcript.focusEditor, row)
                    }
                    Loader {
                        active: page.context.blocked
                        visible: active
                        Layout.fillWidth: true
                        sourceComponent: ContextCard { context: page.context; covered: promptSheet.opened || textSheet.opened }
                    }
                    OutboxList {
                        chat: page.chat
                        context: page.context
                        onRecalled: composer.focusText()
                        Layout.fillWidth: true
                    }
                    Composer {
                        id: composer
                        chat: page.chat
                        context: page.context
                        onPromptRequested: page.showPrompt()
                        onAttachmentRequested: row => textSheet.showFile(-1, row)
                        onEndRequested: transcript.toEnd()
                        onPresetRequested: presetId => presetEditor.openFor(presetId)
                        presets: page.presets
                        modelName: page.inference.model.server === "" ? page.inference.model.name :
                            qsTr("%1 on %2").arg(page.inference.model.name).arg(page.inference.model.server)
                        modelPath: page.inference.model.path
                        maximumHeight: page.height / 3
                        Layout.fillWidth: true
                    }
                }
            }
        }
        Rectangle { visible: page.panelBeside; Layout.fillHeight: true; implicitWidth: 1; color: Theme.colors.line }
        Loader {
            active: page.panelBeside
            visible: active
            Layout.preferredWidth: Theme.space(69) - 1
            Layout.fillHeight: true
            sourceComponent: LivePanel { panel: page.panel; inference: page.inference }
        }
    }
    DeletedSheet { id: deletedSheet; objectName: "deletedSheet"; chat: page.chat; onClosed: composer.focusText() }
    TextSheet { id: textSheet; objectName: "textSheet"; chat: page.chat; onClosed: composer.focusText() }
    PromptSheet { id: promptSheet; objectName: "promptSheet"; prompt: page.prompt; onClosed: composer.focusText() }
    PresetEditor { id: presetEditor; objectName: "presetEditor"; presets: page.presets; chat: page.chat; onClosed: composer.focusText() }
    T.Drawer {
        id: drawer
        parent: T.Overlay.overlay
        width: Theme.space(70)
        height: parent ? parent.height : 0
        modal: true
        dim: true
        focus: true
        edge: Theme.mirrored ? Qt.RightEdge : Qt.LeftEdge
        interactive: page.narrow
        onOpened: drawerList.focusSearch()
        onClosed: composer.focusText()
        enter: Transition { NumberAnimation { property: "position"; to: 1; duration: Theme.motion; easing.type: Easing.OutCubic } }
        exit: Transition { NumberAnimation { property: "position"; to: 0; duration: Theme.motion } }
        background: Rectangle {
            color: Theme.colors.bg
            Rectangle { x: drawer.edge === Qt.LeftEdge ? parent.width - 1 : 0; width: 1; height: parent.height; color: Theme.colors.line }
        }
        T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, 0.35) }
        ConversationList {
            id: drawerList
            anchors { fill: parent; leftMargin: Theme.space(3); rightMargin: Theme.space(3) }
            chat: page.chat
            onChosen: { drawer.close(); composer.focusText() }
            onClicked: drawer.close()
            onTyped: text => { drawer.close(); composer.type(text) }
            onDeletedRequested: { drawer.close(); deletedSheet.open() }
        }
    }
}
