import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Below a message: what can be done with a reply, the versions, how it ended and how long it took.
GridLayout {
    id: footer

    required property bool own
    required property string statusText
    required property string timings
    required property int versionIndex
    required property int versionCount
    required property bool enabledActions
    property bool continuable: false  // it ended before it was complete
    property bool calm: false         // the status is no warning
    signal copy()
    signal tryAgain()
    signal goOn()
    signal edit()
    signal branch()
    signal timing()
    signal prompt()
    signal version(int delta)

    columns: actions.implicitWidth + timing.implicitWidth + columnSpacing <= width ? 2 : 1  // what has no room stands below
    columnSpacing: Theme.space(1)
    rowSpacing: 0
    RowLayout {
        id: actions
        spacing: Theme.space(1)
        Layout.fillWidth: true
        Button {
            visible: !footer.own
            kind: "quiet"
            text: copied.running ? qsTr("Copied") : qsTr("Copy")
            Layout.leftMargin: -Theme.space(2)  // the word, not its ground, stands at the column's edge
            onClicked: { footer.copy(); copied.restart() }
            Timer { id: copied; interval: 1500 }
        }
        Button { visible: !footer.own && footer.continuable; kind: "quiet"; text: qsTr("Continue"); tip: Actions.tip("chat.continue"); enabled: footer.enabledActions; onClicked: footer.goOn() }
        Button { visible: !footer.own; kind: "quiet"; text: qsTr("Try again"); tip: qsTr("Writes another version; this one stays"); enabled: footer.enabledActions; onClicked: footer.tryAgain() }
        IconButton { visible: !footer.own; iconName: "pencil"; tip: qsTr("Edit, and let the model go on if you like; this version stays"); enabled: footer.enabledActions; onClicked: footer.edit() }
        Button { visible: !footer.own && footer.width > Theme.space(footer.continuable ? 105 : 90); kind: "quiet"; text: qsTr("Branch"); tip: qsTr("Goes on from here in a new conversation"); enabled: footer.enabledActions; onClicked: footer.branch() }
        Button { visible: !footer.own && footer.width > Theme.space(105); kind: "quiet"; text: qsTr("Prompt"); tip: qsTr("The exact text this reply was asked with"); onClicked: footer.prompt() }
        Item { Layout.fillWidth: true }
        Label { visible: text !== ""; kind: "note"; color: footer.calm ? Theme.colors.muted : Theme.colors.warn; text: footer.statusText; rightPadding: Theme.space(2) }
        RowLayout {
            visible: footer.versionCount > 1
            spacing: 0
            IconButton { iconName: "chevron-left"; tip: qsTr("Previous version"); enabled: footer.enabledActions && footer.versionIndex > 1; implicitWidth: Theme.space(6); onClicked: footer.version(-1) }
            Label { kind: "note"; text: footer.versionIndex + "/" + footer.versionCount }
            IconButton { iconName: "chevron-right"; tip: qsTr("Next version"); enabled: footer.enabledActions && footer.versionIndex < footer.versionCount; implicitWidth: Theme.space(6); onClicked: footer.version(1) }
        }
    }
    Button { id: timing; visible: text !== ""; kind: "quiet"; text: footer.timings; tip: qsTr("Timing: where the time of this reply went"); Layout.alignment: Qt.AlignRight; Layout.maximumWidth: Math.max(0, footer.width); rightPadding: Theme.space(1); onClicked: footer.timing() }
}
