import QtQuick
import QtTest
import Minerva.App
import Minerva.Chat

// Attached files: chips in the composer and below a message, their sheet, by mouse and keyboard.
Case {
    id: test
    name: "Attachments"
    when: windowShown
    width: 800
    height: 600
    visible: true

    Component { id: composer; Composer { chat: countedChat; context: contextGuard; presets: chatPresets; modelName: "M"; width: 700; maximumHeight: 400 } }
    Component { id: sheet; TextSheet { chat: countedChat; parent: test } }
    Component { id: sent; MessageFiles { files: [{ name: "first.txt", bytes: 340 }, { name: "second with a rather long name that goes on and on.txt", bytes: 12000 }]; width: 300 } }
    SignalSpy { id: spy }

    readonly property url readme: "file://" + builtInModel + "/README.md"
    readonly property url settingsFile: "file://" + builtInModel + "/config.json"
    readonly property url weights: "file://" + builtInModel + "/model.safetensors"

    function chipOf(item, name) { return find(item, child => child.removeRequested !== undefined && child.name === name) }
    function attach(files) {
        const wanted = countedChat.attachments.count + files.length
        countedChat.attachments.add(files)
        tryCompare(countedChat.attachments, "count", wanted)
    }
    function cleanup() {
        while (countedChat.attachments.count > 0) countedChat.attachments.remove(0)
        countedChat.attachments.dismissRefusal()
        countedChat.draft = ""
    }

    function test_chips_by_keyboard(): void {
        const item = createTemporaryObject(composer, test)
        attach([readme, settingsFile])
        const chip = chipOf(item, "config.json")
        compare(chip.Accessible.name, "Attached file config.json")
        tryVerify(() => / · about [1-9][0-9,]* tokens$/.test(chip.note))
        verify(item.sendable)  // a file without text may be sent
        item.focusText()
        keyClick(Qt.Key_Backtab)
        keyClick(Qt.Key_Backtab)
        verify(chip.activeFocus)
        spy.target = item
        spy.signalName = "attachmentRequested"
        spy.clear()
        keyClick(Qt.Key_Return)
        keyClick(Qt.Key_Space)
        compare(spy.count, 2)
        compare(spy.signalArguments[0][0], 1)
        keyClick(Qt.Key_Delete)
        compare(countedChat.attachments.count, 1)
        const other = chipOf(item, "README.md")
        verify(other.activeFocus)  // the neighbouring chip
        keyClick(Qt.Key_Tab)
        keyClick(Qt.Key_Space)  // its remove button
        compare(countedChat.attachments.count, 0)
        verify(!item.sendable)
        keyClick(Qt.Key_X)  // the text field has the focus again
        compare(countedChat.draft, "x")
    }
    function test_chips_by_mouse(): void {
        const item = createTemporaryObject(composer, test)
        attach([readme])
        const chip = chipOf(item, "README.md")
        spy.target = item
        spy.signalName = "attachmentRequested"
        spy.clear()
        click(chip, 20, chip.height / 2)
        compare(spy.count, 1)
        click(find(chip, child => child.tip === "Remove README.md"))
        compare(countedChat.attachments.count, 0)
    }
    function test_the_composer_grows_with_its_chips(): void {
        const item = createTemporaryObject(composer, test)
        const before = item.implicitHeight
        attach([readme])
        tryVerify(() => item.implicitHeight > before + 20)
        verify(item.implicitHeight <= item.maximumHeight)
    }
    function test_a_model_is_refused_as_a_text(): void {
        countedChat.attachments.add([weights])
        tryVerify(() => countedChat.attachments.refusal.isSet)
        compare(countedChat.attachments.refusal.headline, "The file was not attached")
        verify(countedChat.attachments.refusal.detail.startsWith("The file model.safetensors is not text"))
        compare(countedChat.attachments.count, 0)
    }
    function test_the_sheet_shows_the_text(): void {
        attach([settingsFile])
        const item = createTemporaryObject(sheet, test)
        item.showFile(-1, 5)  // there is no such file
        verify(!item.opened)
        item.showFile(-1, 0)
        tryVerify(() => item.opened)
        compare(item.shown.name, "config.json")
        verify(item.shown.text.includes("model_type"))
        compare(item.shown.parts.join("\n"), item.shown.text)
        const shown = find(item.contentItem, child => child.selectAll !== undefined && child.text.includes("model_type"))
        verify(shown !== null && shown.readOnly)
        keyClick(Qt.Key_Escape)
        tryVerify(() => !item.visible)
    }
    function test_files_of_a_message_that_was_sent(): void {
        const item = createTemporaryObject(sent, test)
        spy.target = item
        spy.signalName = "showRequested"
        spy.clear()
        const first = chipOf(item, "first.txt"), second = find(item, child => child.name !== undefined && child.name.startsWith("second"))
        compare(first.note, "340 B")
        compare(second.note, "12 kB")
        verify(second.y > first.y)  // too wide for one row
        verify(second.mapToItem(item, second.width, 0).x <= item.width + 1)
        click(second)
        compare(spy.count, 1)
        compare(spy.signalArguments[0][0], 1)
        first.forceActiveFocus(Qt.TabFocusReason)
        keyClick(Qt.Key_Return)
        compare(spy.signalArguments[1][0], 0)
        keyClick(Qt.Key_Delete)  // a sent file cannot be removed
        compare(spy.count, 2)
    }
}
