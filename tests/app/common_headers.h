// What most tests of this folder include and what takes longest to compile: precompiled, see CMakeLists.txt.
#pragma once

#include "app/shell/app_services.h"
#include "app/shell/open_window.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <vector>
