import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Edits a user-defined preset: name, system prompt, numbers. Enter or Ctrl+Enter saves. Esc leaves, and what was typed is there
// again when the preset is next edited, until it is saved or cancelled. A new preset is applied to the current conversation.
T.Popup {
    id: editor

    required property Presets presets
    required property ChatController chat
    property string presetId: ""   // "": a new one
    property var values: ({})      // by setting key
    property bool asked: false     // saving was attempted; problems with the name are shown from then on
    property var stored: ({})      // what the editor began with: {name, prompt, values}
    property var drafts: JSON.parse(presets.drafts() || "{}")  // by presetId: what was typed and neither saved nor cancelled
    property bool settled: false   // saved or cancelled
    readonly property bool again: drafts[presetId] !== undefined
    readonly property string problem: asked ? presets.problem(name.text, presetId) : ""

    function openFor(id: string): void {
        presetId = id
        asked = false
        settled = false
        const own = presets.values(id === "" ? chat.presetId : id)
        stored = { name: id === "" ? "" : chat.preset, prompt: own.systemPrompt, values: own }
        const shown = drafts[id] ?? stored
        values = shown.values
        name.text = shown.name
        prompt.text = shown.prompt
        for (let i = 0; i < numbers.count; ++i) (numbers.itemAt(i) as PresetNumber).reset()  // from an edit that was left
        open()
    }
    function typed(): var {
        for (let i = 0; i < numbers.count; ++i) (numbers.itemAt(i) as PresetNumber).put()  // unless it is not accepted
        return { name: name.text, prompt: prompt.text, values: values }
    }
    function settle(): void { settled = true; close() }
    function withDraft(left: var): var {
        const same = settled || JSON.stringify(left) === JSON.stringify(stored)
        return Object.assign({}, drafts, { [presetId]: same ? undefined : left })
    }
    function keep(left: var): void { presets.keepDrafts(JSON.stringify(withDraft(left))) }
    function set(key: string, value: real): void { values = Object.assign({}, values, { [key]: value }) }
    function save(): void {
        asked = true
        for (let i = 0; i < numbers.count; ++i) {
            const number = numbers.itemAt(i) as PresetNumber
            if (number.wrong) {  // it says so itself
                number.focusText()
                return
            }
            number.put()
        }
        const kept = presets.keep(presetId, name.text, Object.assign({}, values, { systemPrompt: prompt.text }))
        if (kept === "") {
            name.forceActiveFocus()
            return
        }
        if (presetId === "") chat.usePreset(kept)
        settle()
    }

    parent: T.Overlay.overlay
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? Math.round((parent.height - height) / 2) : 0
    width: Math.min(Theme.space(140), (parent ? parent.width : 0) - Theme.space(8))
    height: Math.min(contentItem.implicitHeight + 2 * padding, (parent ? parent.height : 0) - Theme.space(8))
    padding: Theme.space(5)
    modal: true
    dim: true
    focus: true
    closePolicy: T.Popup.CloseOnEscape  // not by a click beside it
    onAboutToHide: {
        const left = typed()
        keep(left)
        drafts = withDraft(left)
    }
    // Also what a killed process leaves open.
    readonly property Timer keeping: Timer {
        interval: 500
        repeat: true
        running: editor.opened
        onTriggered: editor.keep({ name: name.text, prompt: prompt.text, values: editor.values })
    }
    onOpened: { name.selectAll(); name.forceActiveFocus(Qt.TabFocusReason) }
    T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, Theme.dark ? 0.5 : 0.25) }
    background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }

    contentItem: ColumnLayout {
        spacing: Theme.space(4)
        Keys.onPressed: event => {
            if (event.key !== Qt.Key_Return && event.key !== Qt.Key_Enter) return
            event.accepted = true
            editor.save()
        }
        RowLayout {
            Label {
                text: editor.presetId === "" ? qsTr("Save as a preset") : qsTr("Edit the preset")
                kind: "title"
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
            IconButton { iconName: "close"; tip: qsTr("Close  Esc"); onClicked: editor.close() }
        }
        Label {
            visible: editor.again
            text: qsTr("Typed before and not saved yet. Cancel discards it.")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Flickable {
            id: flick
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: column.implicitHeight
            contentHeight: column.implicitHeight
            clip: true
            interactive: contentHeight > height
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}
            ColumnLayout {
                id: column
                width: flick.width
                spacing: Theme.space(4)
                ColumnLayout {
                    spacing: Theme.space(1)
                    Label { text: qsTr("Name"); kind: "note" }
                    TextField {
                        id: name
                        Layout.fillWidth: true
                        Accessible.name: qsTr("Name")
                        Accessible.description: editor.problem
                        maximumLength: 60
                        onAccepted: editor.save()
                    }
                    Label {
                        visible: text !== ""
                        text: editor.problem
                        kind: "note"
                        color: Theme.colors.bad
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                        Accessible.role: Accessible.AlertMessage
                    }
                }
                ColumnLayout {
                    spacing: Theme.space(1)
                    Label { text: qsTr("System prompt"); kind: "note" }
                    TextArea { id: prompt; Layout.fillWidth: true; maximumHeight: Theme.space(40); Accessible.name: qsTr("System prompt") }
                }
                ColumnLayout {
                    spacing: 0
                    LayoutRepeater {
                        model: editor.presets.fields.filter(field => field.slider)
                        PresetSlider {
                            value: editor.values[modelData.key] ?? modelData.from
                            onMoved: value => editor.set(modelData.key, value)
                        }
                    }
                }
                RowLayout {
                    spacing: Theme.space(4)
                    LayoutRepeater {
                        id: numbers
                        model: editor.presets.fields.filter(field => !field.slider)
                        PresetNumber {
                            value: editor.values[modelData.key] ?? modelData.from
                            onEntered: value => editor.set(modelData.key, value)
                            onAccepted: editor.save()
                        }
                    }
                }
            }
        }
        RowLayout {
            Layout.alignment: Qt.AlignRight
            spacing: Theme.space(2)
            Button { kind: "quiet"; text: qsTr("Cancel"); onClicked: editor.settle() }
            Button { kind: "main"; text: qsTr("Save"); tip: Actions.nativeKeys("Ctrl+Enter"); onClicked: editor.save() }
        }
    }
}
