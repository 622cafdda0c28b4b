import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Navigation rail at the left edge with Actions.pages; titles and shortcuts are those of the actions "page.KEY".
Rectangle {
    id: rail

    required property string current
    signal chosen(string key)

    readonly property real widest: {
        const size = letters.font.pixelSize  // read here to create a binding dependency
        return size > 0 ?
            Actions.pages.reduce((most, page) => Math.max(most, letters.advanceWidth(Actions.title("page." + page.key))), 0) : 0
    }
    readonly property real entryWidth: Math.max(Theme.space(11), Math.ceil(widest) + Theme.space(1.5))

    implicitWidth: entryWidth + Theme.space(4) - 1
    color: Theme.colors.sunken
    Accessible.role: Accessible.PageTabList
    Accessible.name: qsTr("Pages")

    FontMetrics { id: letters; font.family: Theme.sans; font.pixelSize: Math.round(10 * Theme.scale) }

    component Entry: T.AbstractButton {
        id: entry
        required property var page
        readonly property string title: Actions.title("page." + page.key)
        readonly property bool active: rail.current === page.key
        implicitWidth: rail.entryWidth
        implicitHeight: Theme.space(11)
        hoverEnabled: true
        focusPolicy: Qt.StrongFocus
        Layout.alignment: Qt.AlignHCenter
        Accessible.role: Accessible.PageTab
        Accessible.name: title
        onClicked: rail.chosen(page.key)
        contentItem: Item {
            Column {
                anchors.centerIn: parent
                spacing: Theme.space(0.75)
                Icon {
                    anchors.horizontalCenter: parent.horizontalCenter
                    icon: entry.page.icon
                    color: entry.active ? Theme.colors.accent : Theme.colors.muted
                }
                PlainText {
                    anchors.horizontalCenter: parent.horizontalCenter
                    text: entry.title
                    color: entry.active ? Theme.colors.accent : Theme.colors.muted
                    font.family: Theme.sans
                    font.pixelSize: Math.round(10 * Theme.scale)
                }
            }
        }
        background: Rectangle {
            radius: Theme.radius
            color: entry.active ? Theme.colors.accentSoft : entry.hovered ? Theme.colors.line : "transparent"
            FocusRing { shown: entry.visualFocus; around: 0 }
        }
        Tip { visible: entry.hovered; text: Actions.tip("page." + entry.page.key); beside: true }
    }

    ColumnLayout {
        anchors { fill: parent; topMargin: Theme.space(3); bottomMargin: Theme.space(3) }
        spacing: Theme.space(1)
        Image {
            source: "qrc:/qt/qml/Minerva/Components/icons/minerva.svg"
            sourceSize.width: Theme.space(8)
            sourceSize.height: Theme.space(8)
            Layout.alignment: Qt.AlignHCenter
            Layout.bottomMargin: Theme.space(3)
            Accessible.ignored: true
        }
        LayoutRepeater {
            model: Actions.pages.filter(page => !page.bottom)
            Entry { required property var modelData; page: modelData }
        }
        Item { Layout.fillHeight: true }
        LayoutRepeater {
            model: Actions.pages.filter(page => page.bottom)
            Entry { required property var modelData; page: modelData }
        }
    }
}
