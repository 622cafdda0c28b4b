import QtQuick
import QtTest
import Minerva.App
import Minerva.Chat
import Minerva.Models
import Minerva.Settings
import Minerva.Theme

Case {
    id: test
    name: "Pages"
    when: windowShown
    width: 900
    height: 400
    visible: true
    readonly property ModelLibrary library: models

    Component {
        id: modelRow
        ModelRow {
            index: 3; name: "TinyLlama 1.1B Chat"; path: "/models/tiny.gguf"; folder: "/models"; subtitle: "1.1 B parameters"; format: "GGUF"
            type: "Q4_K"; sizeBytes: 6e8; parameters: 1.1e9; builtIn: false; source: ""; missing: false; problem: ""; loaded: false; measured: NaN; width: 900
            own: false; twinAbove: false; fit: ""; fitReason: ""; embeds: false
        }
    }
    Component {
        id: pickerRow
        ModelPickerRow {
            index: 0; name: "TinyLlama 1.1B Chat"; path: "/models/tiny.gguf"; folder: "/models"; subtitle: "1.1 B parameters"; format: "GGUF"
            type: "Q4_K"; sizeBytes: 6e8; builtIn: false; missing: false; problem: ""; fit: ""; loaded: false; embeds: false; width: 400
        }
    }
    Component { id: meaningChoice; MeaningChoice { library: test.library; meaning: search; value: ""; name: "Search by meaning"; width: 700 } }
    Component { id: copyCard; CopyCard { job: copies; width: 900 } }
    Component { id: detailsView; ModelDetailsView { details: ModelDetails {} width: 900; height: 400 } }
    Component { id: header; ModelsHeader { width: 900 } }
    Component {
        id: downloadRow
        DownloadRow {
            index: 2; name: "org/Tiny:Q4_K_M"; title: "Tiny"; label: "Q4_K_M"; format: "GGUF"; downloadState: DownloadsModel.Running; share: 0.63
            progress: "1.58 of 2.50 GB"; error: ({ isSet: false, headline: "", detail: "", hint: "", details: "" }); path: "/models/tiny.gguf"; width: 900
        }
    }
    Component { id: choiceRow; ChoiceRow { choice: test.offered({}); width: 900 } }
    Component { id: hitRow; HitRow { title: "Tiny"; note: "org · 1,200 downloads"; formats: ["GGUF", "MLX"]; width: 900 } }
    QtObject { id: store; property var value: 0.5 }
    Component {
        id: setting
        SettingRow {
            key: "temperature"; title: "Temperature"; note: ""; editor: SettingsModel.Slider; value: 0.5; from: 0; to: 2; step: 0.05; decimals: 2
            choices: [{ value: "light", title: "Light" }, { value: "dark", title: "Dark" }]
            modified: false; model: store; devices: null; forecast: null; library: null; meaning: null; width: 700
        }
    }
    Component { id: spark; Rectangle { color: "white"; width: 200; height: 60; property alias graph: graph; Sparkline { id: graph; anchors.fill: parent } } }
    Component { id: serverSheet; ServerSheet { servers: boxes; parent: test } }
    SignalSpy { id: spy }

    // Neither a click beside the sheet nor Esc loses what was typed; Cancel ends it.
    function test_what_was_typed_of_a_server_is_not_lost(): void {
        const sheet = createTemporaryObject(serverSheet, test)
        const field = name => find(sheet.contentItem, child => child.objectName === name)
        const begin = (id, facts) => { sheet.edit(id, facts); tryVerify(() => sheet.opened) }
        const end = () => tryVerify(() => !sheet.visible)
        const none = { name: "", address: "", models: "", hasKey: false }
        begin("", none)
        field("serverAddress").text = "localhost:8080"
        field("serverKey").text = "abc"
        field("serverModels").text = "owl"
        mouseClick(test, 5, 200)
        verify(sheet.opened)
        keyClick(Qt.Key_Escape)
        end()
        compare(field("serverKey").text, "")
        begin("box", { name: "Box", address: "localhost:1234", models: "a, b", hasKey: true })  // another one
        compare(field("serverAddress").text, "localhost:1234")
        compare(field("serverModels").text, "a, b")
        compare(field("serverKey").text, "")
        keyClick(Qt.Key_Escape)
        end()
        begin("", none)
        compare(field("serverAddress").text, "localhost:8080")
        compare(field("serverKey").text, "abc")
        compare(field("serverModels").text, "owl")
        verify(find(sheet.contentItem, child => child.visible && child.text === "Typed before and not saved yet. Cancel discards it.") !== null)
        find(sheet.contentItem, child => child.text === "Cancel" && child.clicked !== undefined).clicked()
        end()
        begin("", none)
        compare(field("serverAddress").text, "")
        keyClick(Qt.Key_Escape)
        end()
    }
    function test_the_graph_spans_its_points_and_shows_a_ceiling_that_is_near(): void {
        const item = createTemporaryObject(spark, test)
        const isLine = (x, y) => {  // the line may be between two pixels
            const image = grabImage(item)
            return [y - 1, y, y + 1].some(row => Qt.colorEqual(image.pixel(x, row), Theme.colors.accent))
        }
        item.graph.points = Array.from({ length: 1000 }, (v, i) => Qt.point(i, i < 500 ? 10 : 5))
        verify(!item.graph.ceilingShown)
        const line = Math.round(item.graph.headroom)
        tryVerify(() => isLine(50, line))
        verify(isLine(150, line + Math.round((60 - line) / 2)))
        verify(!isLine(150, line))
        item.graph.ceiling = 100
        verify(!item.graph.ceilingShown)
        item.graph.ceiling = 20
        item.graph.ceilingText = "ceiling 20"
        verify(item.graph.ceilingShown)
        tryVerify(() => isLine(50, line + Math.round((60 - line) / 2)))
        const label = find(item.graph, child => child.text === "ceiling 20")
        verify(label !== null && label.y + label.height <= item.graph.headroom + 0.5, "the label lies over the curve")
        item.graph.points = []
        tryVerify(() => !isLine(50, line + Math.round((60 - line) / 2)))
    }
    function test_a_file_that_cannot_run_has_no_chat(): void {
        const item = createTemporaryObject(modelRow, test)
        spy.target = null
        spy.signalName = "chosen"
        spy.target = item
        spy.clear()
        const chat = find(item, child => child.text === "Chat")
        verify(chat.enabled)
        for (const [name, why] of [["problem", "The file is damaged"], ["fit", "cannot"], ["missing", true]]) {
            const before = item[name]
            item[name] = why
            verify(!chat.enabled, name)
            item.forceActiveFocus()
            keyClick(Qt.Key_Return)
            compare(spy.count, 0)
            item[name] = before
        }
        item.fit = "no"  // the user can load it anyway
        verify(chat.enabled)
    }
    function test_a_file_that_cannot_run_is_not_chosen_in_the_picker(): void {
        const item = createTemporaryObject(pickerRow, test)
        spy.target = null
        spy.signalName = "chosen"
        spy.target = item
        spy.clear()
        for (const [name, why] of [["problem", "The file is damaged"], ["fit", "cannot"], ["missing", true]]) {
            const before = item[name]
            item[name] = why
            verify(!item.enabled, name)
            click(item)
            item.forceActiveFocus()
            keyClick(Qt.Key_Return)
            compare(spy.count, 0, name)
            item[name] = before
            verify(item.enabled, name)
        }
        item.fit = "no"  // the user can load it anyway
        verify(item.enabled)
        click(item)
        compare(spy.count, 1)
        compare(spy.signalArguments[0][0], "/models/tiny.gguf")
    }
    function test_an_embedding_model_is_for_the_search_and_not_for_chats(): void {
        const item = createTemporaryObject(modelRow, test, { embeds: true })
        verify(find(item, child => child.text === "Embedding" && child.visible) !== null)
        compare(find(item, child => child.text === "Chat"), null)
        for (const [signalName, count] of [["chosen", 0], ["searchRequested", 2]]) {
            spy.target = null
            spy.signalName = signalName
            spy.target = item
            spy.clear()
            click(find(item, child => child.text === "Search"))
            item.forceActiveFocus()
            keyClick(Qt.Key_Return)
            compare(spy.count, count, signalName)
        }
        compare(spy.signalArguments[1][0], "/models/tiny.gguf")
    }
    function test_an_embedding_model_is_chosen_for_the_search(): void {
        const item = createTemporaryObject(meaningChoice, test)
        const box = find(item, child => child.currentIndex !== undefined && child.popup !== undefined)
        compare(box.count, 1)  // "Off": none is in the list
        const none = find(item, child => String(child.text).startsWith("No embedding model"))
        verify(none.visible)
        scripted.addModel(embeddingModel)
        tryCompare(box, "count", 2)
        verify(!none.visible)
        compare(box.displayText, "Off")
        spy.target = null
        spy.signalName = "chosen"
        spy.target = item
        spy.clear()
        click(box)
        tryVerify(() => box.popup.opened)
        keyClick(Qt.Key_Down)
        keyClick(Qt.Key_Return)
        compare(spy.count, 1)
        compare(spy.signalArguments[0][0], embeddingModel)
        item.value = "/gone/model.gguf"  // chosen once, and no longer in the list
        compare(box.displayText, "model.gguf")
        for (const row of Array.from({ length: models.count }, (v, i) => i).reverse())
            if (models.data(models.index(row, 0), ModelLibrary.PathRole) === embeddingModel) models.remove(row)
    }
    function test_a_model_is_chosen_and_forgotten(): void {
        const item = createTemporaryObject(modelRow, test)
        spy.target = null
        spy.signalName = "chosen"
        spy.target = item
        click(find(item, child => child.text === "Chat"))
        compare(spy.signalArguments[0][0], "/models/tiny.gguf")
        spy.signalName = "forgotten"
        const actions = openMenu(item)
        choose(actions, 2)
        compare(spy.signalArguments[0][0], 3)
        openMenu(item)
        let asked = 0
        item.copyRequested.connect(() => ++asked)
        choose(actions, 1)
        compare(asked, 1)
    }
    function offered(other: var): var {
        return Object.assign({ label: "Q4_K_M", format: "GGUF", bytes: 8.1e8, files: 1, fit: "fits", reason: "", recommended: false, expected: 0, here: "", path: "/models/tiny.gguf" }, other)
    }
    function test_own_models_go_to_the_trash_and_others_do_not(): void {
        const item = createTemporaryObject(modelRow, test, { fit: "slow", fitReason: "It takes about 9 GB" })
        verify(find(item, child => child.text === "Fits, slowly" && child.visible))
        let asked = []
        item.trashRequested.connect(row => asked.push(row))
        verify(!openMenu(item).itemAt(3).visible)
        item.actions.close()
        item.own = true
        const actions = openMenu(item)
        verify(!actions.itemAt(2).enabled)  // removed from the list only, it would come back
        verify(Qt.colorEqual(find(actions.itemAt(2), child => child.text === "it is in Minerva's folder").color, Theme.colors.faint))
        choose(actions, 3)
        compare(asked, [3])
    }
    function test_what_is_here_is_not_offered_again(): void {
        const item = createTemporaryObject(choiceRow, test)
        let asked = []
        item.downloadRequested.connect(() => asked.push("download"))
        item.chatRequested.connect(path => asked.push(path))
        const button = text => find(item, child => child.text === text && child.visible && child.down !== undefined)
        item.choice = offered({ fit: "cannot", reason: "This architecture is not supported yet" })
        verify(find(item, child => child.text === "This architecture is not supported yet" && child.visible))
        verify(!button("Download").enabled)
        item.choice = offered({ expected: 23.4 })
        verify(find(item, child => child.text !== undefined && child.text.startsWith("expected: at most 23")))
        click(button("Download"))
        item.choice = offered({ here: "running" })
        verify(!button("Downloading").enabled)
        item.choice = offered({ here: "done", recommended: true })
        click(button("Chat"))
        compare(asked, ["download", "/models/tiny.gguf"])
        verify(!find(item, child => child.text === "Recommended" && child.visible))
    }
    function test_a_download_is_paused_resumed_and_used(): void {
        const item = createTemporaryObject(downloadRow, test)
        let asked = []
        item.paused.connect(row => asked.push("pause " + row))
        item.resumed.connect(row => asked.push("resume " + row))
        item.cancelled.connect(row => asked.push("cancel " + row))
        item.chatRequested.connect(path => asked.push("chat " + path))
        const press = text => click(find(item, child => child.text === text && child.visible && child.down !== undefined))
        press("Pause")
        item.downloadState = DownloadsModel.Paused
        press("Resume")
        item.downloadState = DownloadsModel.Failed
        item.error = { isSet: true, headline: "The download stopped", detail: "HTTP 503", hint: "", details: "" }
        verify(find(item, child => child.text === "HTTP 503" && child.visible))
        press("Try again")
        const cancel = find(item, child => child.iconName === "close" && child.visible)
        click(cancel)
        compare(asked.length, 3)  // what was downloaded goes with the second press only
        tryVerify(() => !cancel.visible)
        press("Delete it")
        item.error = { isSet: false, headline: "", detail: "", hint: "", details: "" }
        item.downloadState = DownloadsModel.Done
        press("Chat")
        compare(asked, ["pause 2", "resume 2", "resume 2", "cancel 2", "chat /models/tiny.gguf"])
    }
    function test_a_choice_says_whether_it_fits(): void {
        const item = createTemporaryObject(choiceRow, test)
        const says = text => find(item, child => child.text === text && child.visible)
        verify(says("Fits") && says("0.81 GB") && !says("Recommended"))
        item.choice = offered({ fit: "no", reason: "It needs about 44 GB, and 19 GB is free", recommended: true })
        verify(says("Does not fit") && says("It needs about 44 GB, and 19 GB is free") && says("Recommended"))
        item.choice = offered({ fit: "cannot" })
        verify(says("Cannot run") && !says("Download").enabled)
        item.choice = offered({ fit: "cannot", recommended: true, here: "done" })
        verify(!says("Recommended") && !says("Chat").enabled)
        item.choice = offered({ fit: "" })  // not known yet, so neither is claimed
        verify(!says("Fits") && says("Download").enabled)
    }
    // Its name, its verdict and its button are whole, and the reason has room.
    function test_a_narrow_choice_is_whole(): void {
        const reason = "This model has an architecture that is not supported yet: expected one of those that are, found another"
        const item = createTemporaryObject(choiceRow, test)
        const shown = text => find(item, child => child.text === text && child.visible)
        for (const width of [360, 420, 560, 700]) {
            item.width = width
            for (const facts of [{ recommended: true, expected: 23.4 }, { here: "other" }, { fit: "cannot", reason: reason }]) {
                item.choice = offered(facts)
                tryVerify(() => !isPolishScheduled(item) && item.implicitHeight > 50)
                const name = shown("Q4_K_M"), button = shown(facts.here ? "Update" : "Download")
                tryVerify(() => name.width >= name.implicitWidth, 1000, width + ": " + JSON.stringify(facts))
                tryVerify(() => button.mapToItem(item, button.width, 0).x <= width)
                verify(shown(facts.fit ? "Cannot run" : "Fits") && shown(Figures.bytes(8.1e8)))
                verify(!facts.reason || shown(reason).width > width * 0.4)
            }
        }
    }
    function test_the_columns_of_choices_are_aligned(): void {
        const edge = facts => {
            const item = createTemporaryObject(choiceRow, test, { choice: offered(facts) })
            const size = find(item, child => child.text === Figures.bytes(8.1e8) && child.visible)
            tryVerify(() => size.x > 0)
            return Math.round(size.mapToItem(item, size.width, 0).x)
        }
        compare(edge({ here: "running" }), edge({}))
        compare(edge({ here: "done" }), edge({}))
    }
    function test_a_hit_is_opened_with_the_keyboard(): void {
        const item = createTemporaryObject(hitRow, test)
        let opened = 0
        item.clicked.connect(() => ++opened)
        item.forceActiveFocus()
        keyClick(Qt.Key_Space)
        compare(opened, 1)
        verify(find(item, child => child.text === "MLX" && child.visible))
    }
    function choose(menu: var, row: int): void {
        click(menu.itemAt(row))
        tryVerify(() => !menu.visible)
    }
    function openMenu(row: var): var {
        click(find(row, child => child.iconName === "more"))
        tryVerify(() => row.actions.opened)
        return row.actions
    }
    function test_the_built_in_model_cannot_be_forgotten(): void {
        const item = createTemporaryObject(modelRow, test, { builtIn: true })
        verify(!openMenu(item).itemAt(2).enabled)
        verify(item.actions.itemAt(1).enabled)
    }
    function test_a_smaller_copy_is_chosen_made_and_used(): void {
        const item = createTemporaryObject(copyCard, test)
        verify(!item.visible)
        item.open({ name: "Tiny", path: builtInModel, parameters: 4.7e6, sizeBytes: 9.4e6 })
        verify(item.visible && item.choosing)
        compare(item.choice.type, "q4_k_m")
        verify(item.target.endsWith("/Tiny-Q4_K_M.gguf"), item.target)
        item.target = emptyFolder + "/tiny.gguf"
        click(find(item, child => child.text === "Make the copy"))
        verify(!item.choosing)
        tryVerify(() => copies.state === CopyJob.Done, 60000)
        const chat = find(item, child => child.text === "Chat" && child.visible)
        spy.target = null
        spy.signalName = "chatRequested"
        spy.target = item
        click(chat)
        compare(spy.signalArguments[0][0], emptyFolder + "/tiny.gguf")
        verify(!item.visible)
    }
    function test_a_models_page_says_what_it_is(): void {
        const item = createTemporaryObject(detailsView, test)
        item.details.path = builtInModel
        verify(item.details.loading)
        tryVerify(() => !item.details.loading)
        compare(item.details.format, "SafeTensors")
        compare(item.details.types[0].title, "BF16")
        compare(item.details.problems.length, 0)
        tryVerify(() => find(item, child => child.text === "Architecture" && child.visible))
        verify(find(item, child => child.text === "Chat" && child.visible))
        item.details.path = "/not/there"
        tryVerify(() => item.details.error.isSet)
        verify(!find(item, child => child.text === "Chat" && child.visible))
    }
    function test_a_model_that_cannot_shrink_says_so(): void {
        const item = createTemporaryObject(copyCard, test)
        item.open({ name: "Tiny", path: builtInModel, parameters: 1e9, sizeBytes: 5e8 })
        compare(item.choices.length, 0)
        verify(find(item, child => child.text !== undefined && String(child.text).includes("No available type")).visible)
    }
    function test_a_missing_model_says_where_it_was(): void {
        const item = createTemporaryObject(modelRow, test, { missing: true })
        verify(item.about.includes("/models"))
        verify(!find(item, child => child.text === "Chat").enabled)
    }
    function test_a_narrow_row_drops_its_columns(): void {
        const item = createTemporaryObject(modelRow, test, { width: 420 })
        verify(item.narrow)
        tryVerify(() => item.implicitHeight > 64)
        compare(createTemporaryObject(header, test, { width: 420 }).implicitHeight, 0)
        const chat = find(item, child => child.text === "Chat")
        tryVerify(() => chat.mapToItem(item, chat.width, 0).x <= 420)
    }
    function test_the_name_is_whole_as_long_as_there_is_room(): void {
        for (const width of [480, 690, 760, 900]) {  // 690: in a window of 800
            const item = createTemporaryObject(modelRow, test, { width: width, fit: "fits", measured: 38.6 })
            const name = find(item, child => child.text === item.name && child.whole !== undefined)
            waitForRendering(item)
            verify(!name.truncated, width + ": " + name.width)
        }
    }
    function test_a_loaded_model_is_named_so_and_its_button_leads_to_the_chat(): void {
        const item = createTemporaryObject(modelRow, test, { loaded: true })
        verify(find(item, child => child.text === "Chat" && child.clicked !== undefined) !== null)
        compare(item.about, "loaded · 1.1 B parameters · /models")
    }
    function test_details_have_the_title_of_the_list(): void {
        const item = createTemporaryObject(detailsView, test, { title: "Minerva built-in" })
        verify(find(item, child => child.text === "Minerva built-in" && child.kind === "title") !== null)
    }
    function test_header_and_row_have_the_same_columns(): void {
        const row = createTemporaryObject(modelRow, test)
        const top = createTemporaryObject(header, test)
        const size = find(row, child => child.text === Figures.bytes(6e8) && child.visible && child.kind === "body")
        const title = find(top, child => child.text === "Size")
        tryVerify(() => Math.abs(size.mapToItem(row, size.width, 0).x - title.mapToItem(top, title.width, 0).x) < 1.5)
    }
    function test_a_slider_writes_its_value(): void {
        const item = createTemporaryObject(setting, test)
        const slider = find(item, child => child.visualPosition !== undefined && child.stepSize !== undefined)
        slider.forceActiveFocus()
        keyClick(Qt.Key_Right)
        fuzzyCompare(store.value, 0.55, 1e-9)
    }
    function test_a_slider_that_is_only_clicked_sets_nothing(): void {
        const item = createTemporaryObject(setting, test)
        let written = 0
        const counting = { get value() { return 0.5 }, set value(given) { ++written } }
        item.model = counting
        const slider = find(item, child => child.visualPosition !== undefined && child.stepSize !== undefined)
        const middle = slider.handle.mapToItem(slider, slider.handle.width / 2, slider.handle.height / 2)
        mouseClick(slider, middle.x, middle.y)
        compare(written, 0)
        mousePress(slider, middle.x, middle.y)
        mouseMove(slider, middle.x + 40, middle.y)
        mouseRelease(slider, middle.x + 40, middle.y)
        verify(written > 0)
    }
    function test_a_changed_setting_can_be_reset(): void {
        const item = createTemporaryObject(setting, test, { modified: true })
        spy.target = null
        spy.signalName = "resetRequested"
        spy.target = item
        click(find(item, child => child.iconName === "retry"))
        compare(spy.signalArguments[0][0], "temperature")
    }
    function test_a_narrow_setting_stacks_its_editor(): void {
        const wide = createTemporaryObject(setting, test).implicitHeight
        const item = createTemporaryObject(setting, test, { width: 330 })
        tryVerify(() => item.implicitHeight > wide)
    }
}
