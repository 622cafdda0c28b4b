import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// Below a message: what can be done with it, its versions, how it ended and how long it took.
RowLayout {
    id: footer

    required property bool own
    required property string statusText
    required property string timings
    required property int versionIndex
    required property int versionCount
    required property bool enabledActions
    readonly property bool activeFocusInside: copyButton.activeFocus || retryButton.activeFocus || editButton.activeFocus || branchButton.activeFocus
    signal copy()
    signal tryAgain()
    signal edit()
    signal branch()
    signal version(int delta)

    spacing: 0
    Item { visible: footer.own; Layout.fillWidth: true }
    Button { id: copyButton; kind: "quiet"; leftPadding: footer.own ? Theme.space(2) : 0; text: copied.running ? qsTr("Copied") : qsTr("Copy"); onClicked: { footer.copy(); copied.restart() }
        Timer { id: copied; interval: 1500 }
    }
    Button { id: editButton; visible: footer.own; kind: "quiet"; text: qsTr("Edit"); enabled: footer.enabledActions; onClicked: footer.edit() }
    Button { id: retryButton; visible: !footer.own; kind: "quiet"; text: qsTr("Try again"); tip: qsTr("Writes another version; this one stays"); enabled: footer.enabledActions; onClicked: footer.tryAgain() }
    Button { id: branchButton; visible: !footer.own; kind: "quiet"; text: qsTr("Branch"); tip: qsTr("Goes on from here in a new conversation"); enabled: footer.enabledActions; onClicked: footer.branch() }
    Item { visible: !footer.own; Layout.fillWidth: true }
    Label { visible: text !== ""; kind: "note"; color: Theme.colors.warn; text: footer.statusText; rightPadding: Theme.space(3) }
    RowLayout {
        visible: footer.versionCount > 1
        spacing: 0
        IconButton { iconName: "chevron-left"; tip: qsTr("Previous version"); enabled: footer.enabledActions && footer.versionIndex > 1; implicitWidth: Theme.space(6); onClicked: footer.version(-1) }
        Label { kind: "note"; text: footer.versionIndex + "/" + footer.versionCount }
        IconButton { iconName: "chevron-right"; tip: qsTr("Next version"); enabled: footer.enabledActions && footer.versionIndex < footer.versionCount; implicitWidth: Theme.space(6); onClicked: footer.version(1) }
    }
    Label { visible: text !== ""; kind: "note"; text: footer.timings; leftPadding: Theme.space(2); elide: Text.ElideRight }
}
