import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Chat
import Minerva.Compare
import Minerva.Components
import Minerva.Metrics
import Minerva.Models
import Minerva.Settings
import Minerva.Theme

// The window: a rail of pages and the page itself.
T.ApplicationWindow {
    id: window

    required property AppServices app
    property string page: app.startPage

    // One row a page.
    readonly property var pages: [
        { key: "chat", title: qsTr("Chat"), icon: "chat", shortcut: "Ctrl+1", component: chatPage },
        { key: "models", title: qsTr("Models"), icon: "models", shortcut: "Ctrl+2", component: modelsPage },
        { key: "compare", title: qsTr("Compare"), icon: "compare", shortcut: "Ctrl+3", component: comparePage },
        { key: "metrics", title: qsTr("Metrics"), icon: "metrics", shortcut: "Ctrl+4", component: metricsPage },
        { key: "settings", title: qsTr("Settings"), icon: "settings", shortcut: "Ctrl+,", component: settingsPage, bottom: true }
    ]

    width: app.settings.windowWidth
    height: app.settings.windowHeight
    minimumWidth: 480
    minimumHeight: 560
    visible: true
    title: app.chat.currentId !== 0 ? qsTr("%1 - Minerva").arg(app.chat.title) : qsTr("Minerva")
    color: Theme.colors.bg
    onClosing: { app.settings.windowWidth = width; app.settings.windowHeight = height }

    Binding { target: Theme; property: "dark"; value: window.app.dark }
    Binding { target: Theme; property: "scale"; value: window.app.settings.uiScale }
    Binding { target: Theme; property: "reducedMotion"; value: window.app.settings.reducedMotion }
    Connections {
        target: window.app
        function onRaiseRequested() { window.show(); window.raise(); window.requestActivate() }
    }

    Connections {
        target: window.app.chat
        function onTimingRequested() { window.page = "metrics" }
    }

    Shortcut { sequence: "Ctrl+Q"; onActivated: window.close() }
    Instantiator {
        model: window.pages
        delegate: Shortcut {
            required property var modelData
            sequence: modelData.shortcut
            onActivated: window.page = modelData.key
        }
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0
        Rail {
            Layout.fillHeight: true
            pages: window.pages
            current: window.page
            onChosen: key => window.page = key
        }
        Rectangle { Layout.fillHeight: true; implicitWidth: 1; color: Theme.colors.line }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Repeater {
                model: window.pages
                Loader {
                    required property var modelData
                    anchors.fill: parent
                    visible: window.page === modelData.key
                    active: visible || item !== null
                    sourceComponent: modelData.component
                }
            }
        }
    }
    DropArea {
        id: drop
        anchors.fill: parent
        keys: ["text/uri-list"]
        onDropped: drop => { if (drop.hasUrls) { window.app.library.open(drop.urls[0]); window.page = "chat" } }
        Rectangle {
            anchors { fill: parent; margins: Theme.space(2) }
            visible: drop.containsDrag
            radius: Theme.cardRadius
            color: Qt.rgba(Theme.colors.bg.r, Theme.colors.bg.g, Theme.colors.bg.b, 0.9)
            border.width: 2
            border.color: Theme.colors.accent
            Label { anchors.centerIn: parent; text: qsTr("Drop a model file or folder to open it"); kind: "header" }
        }
    }

    Component {
        id: chatPage
        ChatPage {
            chat: window.app.chat
            context: window.app.context
            prompt: window.app.prompt
            inference: window.app.inference
            library: window.app.library
            panel: window.app.panel
            settings: window.app.settings
        }
    }
    Component {
        id: modelsPage
        ModelsPage {
            library: window.app.library
            inference: window.app.inference
            copies: window.app.copies
            hub: window.app.hub
            settings: window.app.settings
            onChatRequested: window.page = "chat"
        }
    }
    Component {
        id: comparePage
        ComparePage {
            compare: window.app.compare
            library: window.app.library
            inference: window.app.inference
        }
    }
    Component {
        id: metricsPage
        MetricsPage {
            metrics: window.app.metrics
            devices: window.app.deviceCheck
            inference: window.app.inference
            settings: window.app.settings
        }
    }
    Component {
        id: settingsPage
        SettingsPage {
            model: window.app.settingsModel
            settings: window.app.settings
            devices: window.app.devices
            hub: window.app.hub
            version: window.app.version
        }
    }
}
