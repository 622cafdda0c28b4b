// A Vulkan loader whose driver fails when it is told to: a shared library for VulkanOptions::loader that passes everything on to the
// real loader, counts calls and live objects, and answers chosen calls as a driver may. The program under test is not changed for it.
#pragma once

namespace minerva::tests {

// What happens at the n-th call, counted from arm() on.
enum class Fault : int {
  none,
  lost,           // the device is lost: from then on, all calls on it that can say so do, until a new device is made
  lostEach,       // the same for every device, whose calls are counted from its creation on
  memory,         // this one call runs out of memory; only calls that can are counted
  memoryForGood,  // that call and all later ones, except waits
  dropped,        // from then on nothing that is submitted runs, though all calls say that it did
  hung            // from then on nothing that is submitted ends
};

// The functions that the library exports (fault_loader.cpp); dlopen() of the same file finds the copy that the program uses.
struct FaultControls {
  void (*arm)(int fault, long call);
  void (*standBefore)(const char* loader);  // passes on to that loader from now on; at first to the system's
  long (*calls)();                          // counted since arm()
  long (*live)();                           // objects that were created and not destroyed
  const char* (*hit)();                     // name of the call that failed first since arm(), or ""
};

}  // namespace minerva::tests
