pragma Singleton

import QtQuick

// No tooltips are shown while a menu is open: the pointer is still on its button, whose tooltip would cover the menu.
QtObject {
    property int openMenus: 0
}
