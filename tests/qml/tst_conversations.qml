import QtQuick
import QtTest
import Minerva.App
import Minerva.Chat

Case {
    id: test
    name: "Conversations"
    when: windowShown
    width: 400
    height: 600
    visible: true

    Component { id: page; ConversationList { chat: conversations; width: 220; height: 560 } }

    function list(item) { return find(item, child => child.positionViewAtIndex !== undefined) }
    function title(item, row) { return list(item).itemAtIndex(row)?.title }

    function init(): void { tryVerify(() => conversations.addFolder("x") !== 0); clear() }
    function clear(): void { for (const folder of Array.from(conversations.conversations.folders)) conversations.removeFolder(folder.folderId) }

    function test_a_new_folder_is_named_where_it_appears(): void {
        const item = createTemporaryObject(page, test)
        item.addFolder(0)
        tryCompare(list(item), "count", 1)
        for (const key of ["W", "o"]) keyClick(key)
        keyClick(Qt.Key_Return)
        compare(title(item, 0), "Wo")
        item.addFolder(0)
        keyClick(Qt.Key_Escape)
        compare(title(item, 0), "New folder")
        clear()
        tryCompare(list(item), "count", 0)
    }
    // The list beside the page and the one in the drawer show the same model.
    function test_what_is_searched_stands_in_both_lists(): void {
        const one = createTemporaryObject(page, test), other = createTemporaryObject(page, test)
        const field = item => find(item, child => child.placeholderText === "Search conversations")
        one.focusSearch()
        for (const key of ["q", "z"]) keyClick(key)
        compare(conversations.conversations.search, "qz")
        compare(field(other).text, "qz")
        other.focusSearch()
        keyClick(Qt.Key_End)  // the words were selected
        keyClick("x")
        compare(field(one).text, "qzx")
        keyClick(Qt.Key_Escape)
        compare(conversations.conversations.search, "")
        compare(field(one).text, "")
        compare(field(other).text, "")
        one.focusSearch()
        keyClick("q")
        other.addFolder(0)
        compare(conversations.conversations.search, "")
        compare(field(one).text, "")
        tryCompare(list(other), "count", 1)
        keyClick(Qt.Key_Escape)
        clear()
    }
    // Results come when they come; a title that is being edited stays under the hand.
    function test_a_title_is_edited_while_results_arrive(): void {
        tryVerify(() => conversations.canSend)
        conversations.newConversation()
        verify(conversations.send("whiskers"))
        scripted.endReply()
        tryVerify(() => conversations.canSend)
        const item = createTemporaryObject(page, test)
        item.focusSearch()
        for (const key of ["w", "h", "i", "s", "k"]) keyClick(key)
        keyClick(Qt.Key_Down)
        keyClick(Qt.Key_F2)
        for (const key of ["N", "e"]) keyClick(key)
        tryVerify(() => list(item).itemAtIndex(0).excerpt !== "")
        keyClick("w")
        keyClick(Qt.Key_Return)
        tryCompare(list(item).itemAtIndex(0), "title", "New")
        conversations.conversations.search = ""
        conversations.remove(conversations.currentId)
        conversations.emptyDeleted()
    }
    function test_every_deletion_can_be_undone_for_as_long(): void {
        tryVerify(() => conversations.canSend)
        const ids = []
        for (const text of ["same", "same", "other"]) {
            conversations.newConversation()
            verify(conversations.send(text))
            scripted.endReply()
            tryVerify(() => conversations.canSend)
            ids.push(conversations.currentId)
        }
        const line = find(createTemporaryObject(page, test), child => child.undone !== undefined)
        const timer = Array.from(line.resources).find(child => child.interval !== undefined)
        let begun = 0
        timer.runningChanged.connect(() => { if (timer.running) ++begun })
        for (const id of ids) {
            const before = begun
            conversations.remove(id)
            verify(line.visible && timer.running)
            verify(begun > before)
        }
        line.passed()
        verify(!timer.running)
        conversations.emptyDeleted()
    }
    Component { id: trash; DeletedSheet { chat: conversations; parent: test } }
    function test_deleted_ones_by_keys(): void {
        tryVerify(() => conversations.canSend)
        const ids = []
        for (const text of ["one", "two", "three"]) {
            conversations.newConversation()
            verify(conversations.send(text))
            scripted.endReply()
            ids.push(conversations.currentId)
        }
        for (const id of ids) conversations.remove(id)
        const sheet = createTemporaryObject(trash, test)
        sheet.open()
        tryVerify(() => sheet.opened)
        const rows = () => all(sheet.contentItem, child => child.conversationId !== undefined && child.sure !== undefined).length
        tryCompare(conversations.deleted, "count", 3)
        tryVerify(() => rows() === 3)
        keyClick(Qt.Key_Delete)
        compare(conversations.deleted.count, 3)  // the first press only asks
        keyClick(Qt.Key_Delete)
        tryCompare(conversations.deleted, "count", 2)
        keyClick(Qt.Key_Delete)
        keyClick(Qt.Key_Down)
        keyClick(Qt.Key_Delete)
        compare(conversations.deleted.count, 2)  // another row asks again
        keyClick(Qt.Key_Return)
        tryVerify(() => !sheet.opened)
        compare(conversations.deleted.count, 1)
        compare(conversations.currentId, ids[0])
        sheet.open()
        tryVerify(() => sheet.opened)
        click(find(sheet.contentItem, child => child.text === "Delete all now..." && child.clicked !== undefined))
        tryVerify(() => sheet.emptying)
        compare(conversations.deleted.count, 1)
        click(find(sheet.contentItem, child => child.text === "Delete all now" && child.clicked !== undefined))
        tryCompare(conversations.deleted, "count", 0)
        conversations.remove(ids[0])
        conversations.emptyDeleted()
    }
    function test_folders_by_keys(): void {
        const item = createTemporaryObject(page, test)
        const folder = conversations.addFolder("Work")
        tryCompare(list(item), "count", 1)
        list(item).enter()
        const cell = () => list(item).itemAtIndex(0)
        keyClick(Qt.Key_Left)
        verify(cell().collapsed)
        keyClick(Qt.Key_Right)
        verify(!cell().collapsed)
        keyClick(Qt.Key_Return)
        verify(cell().collapsed)
        keyClick(Qt.Key_F2)
        keyClick("Z")
        keyClick(Qt.Key_Return)
        compare(title(item, 0), "Z")
        list(item).enter()
        keyClick(Qt.Key_Delete)
        tryCompare(list(item), "count", 0)
    }
}
