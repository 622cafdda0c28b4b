import QtTest

// A test case that finds items by their properties. Its clicks wait until the target has its final position, because a new
// item is laid out with the next frame.
TestCase {
    function find(item: var, matches: var): var {
        if (matches(item)) return item
        for (const child of Array.from(item.children)) {
            const found = find(child, matches)
            if (found) return found
        }
        return null
    }
    function all(item: var, matches: var): var {
        return Array.from(item.children).reduce((found, child) => found.concat(all(child, matches)), matches(item) ? [item] : [])
    }
    function click(item: var, x: var, y: var): void {
        let root = item
        while (root.parent) root = root.parent
        tryVerify(() => find(root, isPolishScheduled) === null)
        mouseClick(item, x, y)
    }
}
