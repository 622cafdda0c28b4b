import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Metrics
import Minerva.Theme

// The list of requests to the local server, with texts that clients made up.
Item {
    id: stage
    width: 700
    height: 500

    readonly property string endless: "POST /v1/" + "completions-".repeat(60)
    readonly property string markup: "<img src='http://example.org/a.png'><b>GET</b> /"

    ListModel {
        id: requests
        function put(values: var): void {
            insert(0, Object.assign({ time: "12:00:00", client: "127.0.0.1", route: "GET /v1/models", modelName: "Tiny",
                requestState: RequestList.Done, stateText: "done", problem: "", promptTokens: NaN, tokens: NaN, ttft: NaN, speed: NaN }, values))
        }
    }
    RequestTable { id: table; width: parent.width; requests: requests; rows: requests.count }
    CallCard { id: call; width: parent.width; y: 300; line: "curl http://127.0.0.1:8080/" + "x".repeat(400); onCopyRequested: stage.copies += 1 }
    property int copies: 0

    Case {
        name: "server"
        when: windowShown

        function texts(row: var): var { return all(row, item => item.text !== undefined && item.textFormat !== undefined) }
        function init(): void { requests.clear(); stage.width = 700; table.narrow = false }

        function test_texts_of_clients_are_plain_and_elided(): void {
            requests.put({ route: stage.endless, client: "1.2.3.4", problem: "because ".repeat(100), requestState: RequestList.Failed, stateText: "failed, 404" })
            requests.put({ route: stage.markup, modelName: stage.markup })
            for (const width of [380, 700]) {
                stage.width = width
                table.narrow = width < 500
                for (let i = 0; i < 2; ++i) {
                    tryVerify(() => table.list.itemAtIndex(i) !== null)
                    const row = table.list.itemAtIndex(i)
                    const shown = texts(row)
                    verify(shown.length >= 5)
                    for (const text of shown) {
                        compare(text.textFormat, Text.PlainText)
                        tryVerify(() => text.mapToItem(stage, text.width, 0).x <= stage.width, 1000, text.text)
                    }
                }
                verify(find(table.list.itemAtIndex(0), item => item.text === stage.markup))  // as it was sent
                verify(find(table.list.itemAtIndex(1), item => item.text === stage.endless).truncated)
            }
        }
        function test_figures_that_are_not_known_are_left_out(): void {
            stage.width = 900  // room for all columns
            requests.put({ requestState: RequestList.Writing, stateText: "writing", promptTokens: 1234, tokens: 56 })
            tryVerify(() => table.list.itemAtIndex(0) !== null)
            const row = table.list.itemAtIndex(0)
            verify(find(row, item => item.text === Figures.integer(1234)))
            verify(find(row, item => item.text === "56"))
            compare(all(row, item => item.text === "–").length, 2)
            compare(find(row, item => item.text === "writing").color, Theme.colors.accent)
        }
        function test_rows_are_reached_with_the_keyboard(): void {
            for (let i = 0; i < 200; ++i) requests.put({ route: "GET /" + i })
            verify(table.list.height < 13 * table.rowHeight)
            tryVerify(() => table.list.activeFocusOnTab)  // with the next layout
            table.list.forceActiveFocus()
            table.list.currentIndex = 0
            keyClick(Qt.Key_Down)
            compare(table.list.currentIndex, 1)
        }
        function test_the_command_line_is_copied(): void {
            const code = find(call, item => item.selectByMouse === true)
            compare(code.textFormat, TextEdit.PlainText)
            verify(code.contentWidth <= code.width + 1)
            click(find(call, item => item.text === "Copy" && item.clicked !== undefined))
            compare(stage.copies, 1)
        }
    }
}
