import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A repository on the hub: properties from its model's header, and the files that can be downloaded.
ColumnLayout {
    id: view

    required property HubService hub
    required property ModelLibrary library
    readonly property string twins: hub.repository === "" || library.count === 0 ? "" : library.twinsOf(hub.repository)
    readonly property LastingRows choices: LastingRows { list: view.hub.choices }
    signal chatRequested(string path)

    spacing: Theme.space(4)
    Shortcut { sequence: "Esc"; enabled: view.visible; onActivated: view.hub.back() }

    RowLayout {
        spacing: Theme.space(2)
        IconButton { iconName: "chevron-left"; tip: qsTr("Back  Esc"); onClicked: view.hub.back() }
        ColumnLayout {
            spacing: Theme.space(0.5)
            Layout.fillWidth: true
            ElidedLabel { text: view.hub.repository; kind: "header"; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true }
            Label {
                text: view.hub.busy ? qsTr("Requesting the list of files") :
                    view.hub.reading ? qsTr("Reading the model's header") :
                    view.hub.about
                kind: "note"
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
        }
        Tag { visible: view.hub.gated; text: qsTr("Gated"); ink: Theme.colors.warn; ground: Theme.colors.warnSoft }
        Button { text: qsTr("Open its page"); tip: view.hub.page.toString(); onClicked: Links.open(view.hub.page.toString()) }
    }
    Label {
        visible: view.twins !== ""
        text: qsTr("You already have this model as %1.").arg(view.twins)
        kind: "note"
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    Label {
        visible: text !== ""
        text: view.hub.notice
        kind: "note"
        color: Theme.colors.warn
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Layout.fillWidth: true
    }
    Item {  // reserves the space, so that buttons below do not move when the header has been read
        implicitHeight: asking.implicitHeight
        Layout.fillWidth: true
        Progress {
            id: asking
            visible: view.hub.busy || view.hub.reading
            indeterminate: true
            width: parent.width
            Accessible.name: qsTr("Asking the hub")
        }
    }
    ErrorCard { visible: reason !== ""; headline: qsTr("This model cannot run here"); reason: view.hub.problem; Layout.fillWidth: true }
    Rectangle {
        visible: list.count > 0
        Layout.fillWidth: true
        Layout.fillHeight: true
        Layout.preferredHeight: list.contentHeight + 2
        Layout.maximumHeight: list.contentHeight + 2
        radius: Theme.cardRadius
        color: Theme.colors.surface
        border.width: 1
        border.color: Theme.colors.line
        ListView {
            id: list
            anchors { fill: parent; margins: 1 }
            model: view.choices.count
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}
            delegate: ChoiceRow {
                required property int index
                width: ListView.view.width
                choice: view.choices.rows[index]
                bottomMost: index === list.count - 1
                onDownloadRequested: view.hub.download(index)
                onChatRequested: path => view.chatRequested(path)
            }
        }
    }
    HubWait { hub: view.hub; Layout.fillWidth: true }  // moves no button of the list above
    Item { Layout.fillHeight: true }
}
