// How long a test waits for what must come: long, because a machine may be twenty times slower than this one for a moment, and free,
// because the wait ends when it has come. QtTest's own five seconds have failed on busy machines.
#pragma once

#include <QTest>

inline constexpr int patienceMs = 90000;

#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expr) QTRY_VERIFY_WITH_TIMEOUT(expr, patienceMs)
#define QTRY_VERIFY2(expr, message) QTRY_VERIFY2_WITH_TIMEOUT(expr, message, patienceMs)
#define QTRY_COMPARE(expr, expected) QTRY_COMPARE_WITH_TIMEOUT(expr, expected, patienceMs)
