// The program: options in, one AppServices, one window.
#include "app/shell/app_services.h"
#include "app/shell/run_app.h"

int main(int argc, char** argv) { return minerva::app::runApp(argc, argv); }
