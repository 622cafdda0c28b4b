import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The models of servers, under the name of each server; a search if there are many.
ColumnLayout {
    id: part

    required property RemoteModels models
    property string chosenPath: ""
    signal chosen(string path)
    signal leftAbove()  // the selection moves up, to the list above

    function focusStart(): void { if (field.visible) field.forceActiveFocus(); else focusFirst() }
    function focusFirst(): void { list.currentIndex = 0; list.forceActiveFocus() }

    spacing: 0
    TextField {
        id: field
        visible: part.models.total > 8
        placeholderText: qsTr("Search the models of servers")
        text: part.models.search
        Layout.fillWidth: true
        Layout.margins: Theme.space(1)
        onTextEdited: part.models.search = text
        Keys.onDownPressed: part.focusFirst()
        Keys.onUpPressed: part.leftAbove()
    }
    ListView {
        id: list
        Layout.fillWidth: true
        Layout.preferredHeight: Math.min(contentHeight, Theme.space(46))
        model: part.models
        clip: true
        keyNavigationEnabled: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollBar {}
        Keys.onUpPressed: event => {
            event.accepted = currentIndex <= 0
            if (event.accepted) part.leftAbove()
        }
        section.property: "server"
        section.delegate: Label {
            required property string section
            text: section
            kind: "label"
            font.weight: Font.DemiBold
            elide: Text.ElideRight
            width: ListView.view.width
            leftPadding: Theme.space(2.5)
            topPadding: Theme.space(2)
            bottomPadding: Theme.space(1)
        }
        delegate: T.ItemDelegate {
            id: row
            required property string name
            required property string path
            required property string server
            required property int context
            width: ListView.view.width
            implicitHeight: Theme.space(9)
            horizontalPadding: Theme.space(2.5)
            hoverEnabled: true
            highlighted: ListView.isCurrentItem && ListView.view.activeFocus
            Accessible.name: qsTr("%1 on %2").arg(name).arg(server)
            onClicked: part.chosen(path)
            Keys.onReturnPressed: part.chosen(path)
            contentItem: RowLayout {
                spacing: Theme.space(2)
                Icon { icon: "check"; color: Theme.colors.accent; opacity: row.path === part.chosenPath ? 1 : 0; size: Math.round(16 * Theme.scale) }
                Label { text: row.name; elide: Text.ElideMiddle; Layout.fillWidth: true }
                Label { visible: row.context > 0; text: qsTr("%1 context").arg(Figures.integer(row.context)); kind: "note" }
            }
            background: Rectangle { radius: Theme.radius; color: row.hovered || row.highlighted ? Theme.colors.sunken : "transparent" }
        }
    }
    Label {
        visible: part.models.count === 0
        text: qsTr("No model of a server has this name.")
        kind: "note"
        leftPadding: Theme.space(2.5)
        Layout.margins: Theme.space(1)
    }
}
