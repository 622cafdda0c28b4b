import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Actions on a reply. If space is limited, the last ones are hidden.
Row {
    id: actions

    required property real room  // width of the footer
    property bool continuable: false
    property bool replaceable: true
    property bool enabledActions: true
    property bool canReply: enabledActions
    property bool mirrored: false
    signal copy()
    signal goOn()
    signal tryAgain()
    signal edit()
    signal branch()
    signal prompt()

    readonly property bool branches: room > Theme.space(continuable ? 105 : 90)
    readonly property bool prompts: replaceable && room > Theme.space(105)
    // The width without "Continue". Computed here because a hidden Row does not update its implicit width.
    readonly property real plainWidth: leftPadding + rightPadding + 2 * spacing +
        first.implicitWidth + again.implicitWidth + pencil.implicitWidth +
        (branches ? spacing + branching.implicitWidth : 0) +
        (prompts ? spacing + prompting.implicitWidth : 0)

    leftPadding: mirrored ? 0 : -Theme.space(2)  // aligns the text, not the button's background, with the column
    rightPadding: mirrored ? -Theme.space(2) : 0
    spacing: Theme.space(1)

    Button {
        id: first
        kind: "quiet"
        text: copied.running ? qsTr("Copied") : qsTr("Copy")
        onClicked: { actions.copy(); copied.restart() }
        Timer { id: copied; interval: 1500 }
    }
    Loader {
        active: actions.continuable
        visible: active
        sourceComponent: Button {
            kind: "quiet"
            text: qsTr("Continue")
            tip: Actions.tip("chat.continue")
            enabled: actions.canReply
            onClicked: actions.goOn()
        }
    }
    Button {
        id: again
        visible: actions.replaceable
        kind: "quiet"
        text: qsTr("Try again")
        tip: qsTr("Writes another version; this one stays")
        enabled: actions.canReply
        onClicked: actions.tryAgain()
    }
    IconButton {
        id: pencil
        visible: actions.replaceable
        iconName: "pencil"
        tip: qsTr("Edit, then let the model continue if you like; this version stays")
        enabled: actions.enabledActions
        onClicked: actions.edit()
    }
    Button {
        id: branching
        visible: actions.branches
        kind: "quiet"
        text: qsTr("Branch")
        tip: qsTr("Continues from here in a new conversation")
        enabled: actions.enabledActions
        onClicked: actions.branch()
    }
    Button {
        id: prompting
        visible: actions.prompts
        kind: "quiet"
        text: qsTr("Prompt")
        tip: qsTr("The exact prompt that produced this reply")
        onClicked: actions.prompt()
    }
}
