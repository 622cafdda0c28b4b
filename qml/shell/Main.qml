import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import QtQuick.Dialogs
import Minerva.Actions
import Minerva.App
import Minerva.Chat
import Minerva.Compare
import Minerva.Components
import Minerva.Metrics
import Minerva.Models
import Minerva.Settings
import Minerva.Theme

// The window: navigation rail and current page.
T.ApplicationWindow {
    id: window

    required property AppServices app
    property string page: app.startPage
    readonly property var components: ({
        chat: chatPage,
        models: modelsPage,
        compare: comparePage,
        metrics: metricsPage,
        settings: settingsPage
    })

    property ChatPage conversation: null  // the page of that name, once it has been shown

    readonly property bool comparing: app.compare.state === CompareController.Running || app.compare.state === CompareController.Preparing
    // Esc stops what the shown page runs, and from every page a reply, which can be continued; a comparison or a benchmark only on its own
    // page, as it would be lost.
    readonly property bool busy: app.chat.generating || page === "compare" && comparing ||
        page === "metrics" && (app.metrics.benchmark.running || app.speed.running)
    // Esc first closes the card for a message that does not fit into the context, or what is opened on the page of models.
    property bool modelsGoBack: false
    readonly property bool escTaken: page === "chat" && app.context.blocked || page === "models" && modelsGoBack
    function stop(): void {
        if (page === "compare" && comparing) app.compare.stop()
        else if (page === "metrics" && app.metrics.benchmark.running) app.metrics.benchmark.cancel()
        else if (page === "metrics" && app.speed.running) app.speed.cancel()
        else app.chat.stop()
    }
    property bool losing: false  // the user has agreed to lose what is not saved

    LayoutMirroring.enabled: Theme.mirrored
    LayoutMirroring.childrenInherit: true
    width: app.settings.windowWidth
    height: app.settings.windowHeight
    minimumWidth: 480
    minimumHeight: 560
    visible: true
    title: app.chat.currentId !== 0 ? qsTr("%1 - Minerva").arg(app.chat.title) : qsTr("Minerva")
    color: Theme.colors.bg
    Component.onCompleted: {
        const kept = app.settings
        const middle = { x: kept.windowX + kept.windowWidth / 2, y: kept.windowY + Theme.space(4) }
        // Restore the position only if it is on a connected screen, and no larger size than the screen's.
        const screens = Array.from(Qt.application.screens)
        const known = screens.find(screen =>
            middle.x >= screen.virtualX && middle.x < screen.virtualX + screen.width &&
            middle.y >= screen.virtualY && middle.y < screen.virtualY + screen.height)
        const room = known ?? screens[0]
        if (kept.windowX > -32768) {  // it was stored; else the desktop limits it
            width = Math.min(width, room.width, room.desktopAvailableWidth)
            height = Math.min(height, room.height, room.desktopAvailableHeight)
        }
        if (known) {
            x = Math.max(known.virtualX, Math.min(kept.windowX, known.virtualX + known.width - width))
            y = Math.max(known.virtualY, Math.min(kept.windowY, known.virtualY + known.height - height))
        }
        if (kept.windowMaximized) showMaximized()
    }
    onClosing: close => {
        if (!losing && !app.chat.saveAll()) {
            close.accepted = false
            unsavedQuestion.open()
            return
        }
        const kept = app.settings
        kept.lastPage = page
        kept.windowMaximized = visibility === Window.Maximized
        if (visibility !== Window.Windowed) return  // keep the stored geometry of the normal window
        kept.windowX = x
        kept.windowY = y
        kept.windowWidth = width
        kept.windowHeight = height
    }

    Binding { target: Theme; property: "dark"; value: window.app.dark }
    Binding { target: Theme; property: "scale"; value: window.app.settings.uiScale }
    Binding { target: Theme; property: "reducedMotion"; value: window.app.settings.reducedMotion }
    Binding { target: Theme; property: "pixelRatio"; value: window.Screen.devicePixelRatio }
    Connections {
        target: window.app
        function onRaiseRequested() { window.show(); window.raise(); window.requestActivate() }
    }

    Connections {
        target: window.app.chat
        function onTimingRequested() { window.page = "metrics" }
    }
    Connections {
        target: window.app.chat.attachments
        function onModelDropped(file) { window.app.library.open(file) }
    }
    Binding { target: Actions; property: "page"; value: window.page }
    Connections {
        target: Actions
        function onPageRequested(page) { window.page = page }
    }
    Item {  // in an Item, because its shortcuts are inactive while a modal popup is open
        Instantiator {
            model: Actions.pages
            delegate: ActionShortcut {
                required property var modelData
                name: "page." + modelData.key
                onActivated: window.page = modelData.key
            }
        }
        ActionShortcut { name: "chat.new"; onActivated: { window.page = "chat"; window.conversation.beginChat() } }
        ActionShortcut { name: "app.palette"; onActivated: commandPalette.open() }
        ActionShortcut { name: "app.keys"; onActivated: keySheet.open() }
        ActionShortcut { name: "app.about"; onActivated: aboutSheet.open() }
        ActionShortcut { name: "app.stop"; possible: window.busy && !window.escTaken; onActivated: window.stop() }
        ActionShortcut { name: "app.larger"; onActivated: window.app.settings.uiScale += 0.05 }
        ActionShortcut { name: "app.smaller"; onActivated: window.app.settings.uiScale -= 0.05 }
        ActionShortcut { name: "app.normal"; onActivated: window.app.settings.reset("uiScale") }
        ActionShortcut { name: "app.theme"; onActivated: window.app.settings.theme = window.app.dark ? "light" : "dark" }
        ActionShortcut { name: "app.quit"; onActivated: window.close() }
        ActionShortcut { name: "model.open"; onActivated: openDialog.open() }
    }
    FocusView { focused: window.activeFocusItem }
    Item {  // for screen readers only; its accessible name changes with each announcement
        objectName: "liveRegion"
        Accessible.role: Accessible.AlertMessage
        Accessible.name: window.app.announcement
    }
    CommandPalette {
        id: commandPalette
        objectName: "palette"
        conversations: window.app.chat.conversations
        library: window.app.library
        servers: window.app.servers
        onConversationChosen: id => { window.page = "chat"; window.app.chat.select(id) }
        onModelChosen: path => {
            window.page = "chat"
            if (path.startsWith("server:")) window.app.inference.load(path); else window.app.library.openPath(path)
        }
    }
    KeySheet { id: keySheet; objectName: "keySheet" }
    AboutSheet { id: aboutSheet; objectName: "aboutSheet" }
    UnsavedQuestion {
        id: unsavedQuestion
        objectName: "unsavedQuestion"
        chat: window.app.chat
        onCloseRequested: window.close()
        onLossAccepted: { window.losing = true; window.close() }
    }
    FileDialog {
        id: openDialog
        title: qsTr("Open a model")
        nameFilters: [qsTr("Models (*.gguf *.safetensors)"), qsTr("All files (*)")]
        onAccepted: { window.page = "chat"; window.app.library.open(selectedFile) }
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0
        Rail {
            Layout.fillHeight: true
            current: window.page
            onChosen: key => window.page = key
        }
        Rectangle { Layout.fillHeight: true; implicitWidth: 1; color: Theme.colors.line }
        ColumnLayout {
            spacing: 0
            Layout.fillWidth: true
            Layout.fillHeight: true
            LayoutRepeater {
                model: window.app.unread
                ErrorCard {
                    required property int index
                    required property var modelData
                    error: modelData
                    dismissible: true
                    onDismissed: window.app.dismissUnread(index)
                    Layout.fillWidth: true
                    Layout.margins: Theme.space(3)
                    Layout.bottomMargin: 0
                }
            }
            Item {
                Layout.fillWidth: true
                Layout.fillHeight: true
                Repeater {
                    model: Actions.pages
                    Loader {
                        required property var modelData
                        anchors.fill: parent
                        visible: window.page === modelData.key
                        enabled: visible  // else what is typed would go to a page that is not shown
                        onVisibleChanged: if (visible) forceActiveFocus()  // where it was on this page
                        active: visible || item !== null
                        sourceComponent: window.components[modelData.key]
                    }
                }
            }
        }
    }
    DropArea {
        id: drop
        readonly property bool compares: window.page === "compare" && window.app.compare.state === CompareController.Choosing
        anchors.fill: parent
        keys: ["text/uri-list"]
        onDropped: drop => {
            if (!drop.hasUrls) return
            if (window.page === "chat") return window.app.chat.attachments.drop(drop.urls)
            if (compares) return drop.urls.forEach(location => window.app.compare.addUrl(location))
            window.app.library.open(drop.urls[0])
            window.page = "chat"
        }
        Rectangle {
            anchors { fill: parent; margins: Theme.space(2) }
            visible: drop.containsDrag
            radius: Theme.cardRadius
            color: Qt.rgba(Theme.colors.bg.r, Theme.colors.bg.g, Theme.colors.bg.b, 0.9)
            border.width: 2
            border.color: Theme.colors.accent
            Label {
                anchors.centerIn: parent
                text: window.page === "chat" ?
                    qsTr("Drop text files to attach them, or a model to open it") :
                    drop.compares ? qsTr("Drop model files or folders to compare them") :
                    qsTr("Drop a model file or folder to open it")
                kind: "header"
            }
        }
    }

    Component {
        id: chatPage
        ChatPage {
            Component.onCompleted: window.conversation = this
            chat: window.app.chat
            context: window.app.context
            prompt: window.app.prompt
            inference: window.app.inference
            library: window.app.library
            servers: window.app.servers
            panel: window.app.panel
            presets: window.app.presets
            settings: window.app.settings
            firstRun: window.app.firstRun
        }
    }
    Component {
        id: modelsPage
        ModelsPage {
            library: window.app.library
            inference: window.app.inference
            copies: window.app.copies
            draft: window.app.draft
            draftForecast: window.app.draftForecast
            hub: window.app.hub
            servers: window.app.servers
            settings: window.app.settings
            onGoesBackChanged: window.modelsGoBack = goesBack
            onChatRequested: window.page = "chat"
            onSettingRequested: window.page = "settings"
        }
    }
    Component {
        id: comparePage
        ComparePage {
            compare: window.app.compare
            library: window.app.library
            servers: window.app.servers
            inference: window.app.inference
        }
    }
    Component {
        id: metricsPage
        MetricsPage {
            metrics: window.app.metrics
            speed: window.app.speed
            devices: window.app.deviceCheck
            server: window.app.server
            inference: window.app.inference
            settings: window.app.settings
        }
    }
    Component {
        id: settingsPage
        SettingsPage {
            model: window.app.settingsModel
            settings: window.app.settings
            forecast: window.app.forecast
            library: window.app.library
            meaning: window.app.meaning
            devices: window.app.devices
            hub: window.app.hub
            version: window.app.version
        }
    }
}
