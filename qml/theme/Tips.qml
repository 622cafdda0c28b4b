pragma Singleton

import QtQuick

// While a menu is open no tool tip is shown: it would lie over the menu, whose button the pointer still rests on.
QtObject {
    property int openMenus: 0
}
