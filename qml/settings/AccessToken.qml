import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The hub's access token for gated and private models: which one is used, and storing one in the system's keyring.
ColumnLayout {
    id: card

    required property HubService hub
    readonly property bool foreign: hub.tokenSource !== "" && !hub.tokenKept  // from HF_TOKEN or its file

    spacing: Theme.space(2)
    Label { text: qsTr("Access token"); kind: "header"; Layout.fillWidth: true }
    Label {
        text: card.foreign ? qsTr("The token from %1 is used for gated and private models.").arg(card.hub.tokenSource) :
            card.hub.tokenKept ? qsTr("A token in your keyring is used for gated and private models.") :
            qsTr("Gated and private models need an access token of your account on the hub. It is kept in your keyring, nowhere else, and sent only to the hub.")
        kind: "note"
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Layout.fillWidth: true
    }
    RowLayout {
        visible: !card.foreign
        spacing: Theme.space(2)
        TextField {
            id: field
            Layout.fillWidth: true
            visible: !card.hub.tokenKept
            placeholderText: "hf_..."
            echoMode: TextInput.Password
            inputMethodHints: Qt.ImhSensitiveData | Qt.ImhNoPredictiveText
            Accessible.name: qsTr("Access token")
            onAccepted: keep.clicked()
        }
        Button {
            id: keep
            visible: !card.hub.tokenKept
            text: qsTr("Save")
            enabled: field.text.trim() !== ""
            onClicked: { card.hub.keepToken(field.text); field.text = "" }
        }
        Button { visible: card.hub.tokenKept; text: qsTr("Remove it from the keyring"); onClicked: card.hub.keepToken("") }
    }
    Label {
        visible: card.hub.tokenError.isSet
        text: card.hub.tokenError.headline + ": " + card.hub.tokenError.detail +
            (card.hub.tokenError.hint === "" ? "" : " " + qsTr("To use one anyway, %1.").arg(card.hub.tokenError.hint))
        color: Theme.colors.bad
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
}
