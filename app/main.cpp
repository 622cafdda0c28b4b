// The program: everything is wired in app/shell.
#include "app/shell/run_app.h"

int main(int argc, char** argv) { return minerva::app::runApp(argc, argv); }
