import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// All shortcuts by page.
T.Popup {
    id: sheet

    readonly property var rows: Actions.sheet()
    readonly property var pages: rows.map(row => row.page).filter((page, i, all) => all.indexOf(page) === i)
    readonly property bool wide: width > Theme.space(150)

    parent: T.Overlay.overlay
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? Math.round((parent.height - height) / 2) : 0
    width: Math.min(Theme.space(190), (parent ? parent.width : 0) - Theme.space(8))
    height: Math.min(contentItem.implicitHeight + 2 * padding, (parent ? parent.height : 0) - Theme.space(8))
    padding: Theme.space(5)
    modal: true
    dim: true
    focus: true
    T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, Theme.dark ? 0.5 : 0.25) }
    background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }

    // No layouts here: they compute the height of wrapped text for a width other than the final one.
    component Part: Column {
        id: part
        required property string page
        spacing: Theme.space(1)
        Label {
            text: part.page === "" ? qsTr("Everywhere") : Actions.title("page." + part.page)
            kind: "header"
            bottomPadding: Theme.space(1)
        }
        Repeater {
            model: sheet.rows.filter(row => row.page === part.page)
            Item {
                id: line
                required property var modelData
                width: part.width
                height: Math.max(title.height, cap.height)
                Label {
                    id: title
                    anchors { left: parent.left; right: cap.left; rightMargin: Theme.space(3); verticalCenter: parent.verticalCenter }
                    text: line.modelData.title
                    color: Theme.colors.muted
                    wrapMode: Text.Wrap
                }
                Rectangle {
                    id: cap
                    anchors { right: parent.right; verticalCenter: parent.verticalCenter }
                    width: keys.implicitWidth + Theme.space(3)
                    height: keys.implicitHeight + Theme.space(1)
                    radius: Theme.tagRadius
                    color: Theme.colors.sunken
                    border.width: 1
                    border.color: Theme.colors.line
                    Label { id: keys; anchors.centerIn: parent; text: line.modelData.keys; kind: "mono" }
                }
            }
        }
    }
    component Parts: Column {
        id: parts
        required property var pages
        spacing: Theme.space(5)
        Repeater {
            model: parts.pages
            Part { required property string modelData; page: modelData; width: parts.width }
        }
    }
    contentItem: ColumnLayout {
        spacing: Theme.space(4)
        RowLayout {
            Label { text: Actions.title("app.keys"); kind: "title"; Layout.fillWidth: true }
            IconButton { iconName: "close"; tip: qsTr("Close  Esc"); onClicked: sheet.close() }
        }
        Flickable {
            id: flick
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: grid.implicitHeight
            contentHeight: grid.implicitHeight
            clip: true
            focus: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar { id: bar }
            Keys.onDownPressed: contentY = Math.max(0, Math.min(contentHeight - height, contentY + Theme.space(12)))
            Keys.onUpPressed: contentY = Math.max(0, contentY - Theme.space(12))
            // Two columns: the chat has as many shortcuts as all other pages together.
            Grid {
                id: grid
                readonly property real columnWidth: sheet.wide ? (width - columnSpacing) / 2 : width
                width: flick.width - Theme.space(4)
                columns: sheet.wide ? 2 : 1
                columnSpacing: Theme.space(8)
                rowSpacing: Theme.space(5)
                Parts { pages: sheet.pages.filter(page => page !== "chat"); width: grid.columnWidth }
                Parts { pages: ["chat"]; width: grid.columnWidth }
            }
        }
    }
}
