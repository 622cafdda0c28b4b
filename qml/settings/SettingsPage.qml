import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Actions
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The settings page: an editor for every setting, by section.
Item {
    id: page

    required property SettingsModel model
    required property Settings settings
    required property DeviceModel devices
    required property LoadForecast forecast
    required property ModelLibrary library
    required property MeaningSearch meaning
    required property HubService hub
    required property string version

    // Only while this is shown: what is free is looked at again when it is next.
    onVisibleChanged: forecast.wanted = visible
    Component.onCompleted: forecast.wanted = visible
    Component.onDestruction: forecast.wanted = false

    ActionShortcut { name: "settings.search"; onActivated: { search.forceActiveFocus(); search.selectAll() } }

    ColumnLayout {
        anchors { fill: parent; margins: Theme.space(page.width < Theme.space(140) ? 4 : 6); topMargin: Theme.pageTop; bottomMargin: 0 }
        spacing: Theme.space(4)
        PageHead {
            spacing: Theme.space(6)
            Label { text: qsTr("Settings"); kind: "title" }
            TextField {
                id: search
                Layout.fillWidth: true
                Layout.maximumWidth: Theme.space(80)
                placeholderText: Actions.title("settings.search")
                shortcutHint: Actions.keys("settings.search")
                onTextChanged: page.model.search = text
                Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape && text !== ""
                Keys.onEscapePressed: clear()
                Keys.onDownPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
            }
        }
        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.rightMargin: -barRoom
            readonly property real barRoom: Theme.space(3)  // for the scroll bar beside the rows
            readonly property real rowWidth: Math.min(width - barRoom, Theme.space(186))
            readonly property real rowX: LayoutMirroring.enabled ? width - rowWidth : 0
            model: page.model
            clip: true
            cacheBuffer: 4000
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}
            section.property: "section"
            section.delegate: RowLayout {
                required property string section
                x: list.rowX
                width: list.rowWidth
                Label {
                    text: qsTranslate("Settings", parent.section)
                    kind: "header"
                    topPadding: Theme.space(5)
                    bottomPadding: Theme.space(1.5)
                    Layout.fillWidth: true
                }
                Button {
                    kind: "quiet"
                    text: qsTr("Reset")
                    Layout.alignment: Qt.AlignBottom
                    Layout.rightMargin: -Theme.space(2)
                    tip: qsTr("Reset this section to the defaults")
                    onClicked: page.settings.resetSection(parent.section)
                }
            }
            delegate: SettingRow {
                x: list.rowX
                width: list.rowWidth
                devices: page.devices
                forecast: page.forecast
                library: page.library
                meaning: page.meaning
                onResetRequested: key => page.settings.resetRow(key)
            }
            footer: ColumnLayout {
                x: list.rowX
                width: list.rowWidth
                Label { visible: list.count === 0; text: qsTr("No setting matches."); kind: "note"; topPadding: Theme.space(5) }
                ErrorCard {
                    visible: search.text === "" && headline !== ""
                    error: page.hub.proxyError
                    Layout.topMargin: Theme.space(5)
                    Layout.fillWidth: true
                }
                AccessToken { visible: search.text === ""; hub: page.hub; Layout.topMargin: Theme.space(5); Layout.fillWidth: true }
                RequestLog { visible: search.text === ""; hub: page.hub; Layout.topMargin: Theme.space(5); Layout.fillWidth: true }
                RowLayout {
                    Layout.topMargin: Theme.space(6)
                    Label { text: qsTr("Minerva %1").arg(page.version); kind: "note"; Layout.fillWidth: true }
                    Button {
                        kind: "quiet"
                        text: Actions.title("app.about")
                        tip: Actions.tip("app.about")
                        Layout.rightMargin: -Theme.space(2)
                        onClicked: Actions.trigger("app.about")
                    }
                }
            }
        }
        UndoLine {
            id: undoLine
            visible: page.settings.resetTitle !== ""
            text: qsTr("Reset: %1").arg(qsTranslate("Settings", page.settings.resetTitle))
            Layout.fillWidth: true
            Layout.maximumWidth: list.rowWidth
            Layout.bottomMargin: Theme.space(3)
            onUndone: page.settings.undoReset()
            onPassed: page.settings.dismissUndo()
            Connections {
                target: page.settings
                function onResetTitleChanged() { undoLine.again() }
            }
        }
    }
}
