// A Vulkan loader whose devices are described by files (tests/gpu/devices): it stands in front of the real one, answers questions about the
// device as the described driver would, and runs the work on this machine's first device. What the program asks beyond the described
// limits is kept as a violation: the validation layer cannot see it, as it knows this machine's driver only.
#pragma once

namespace minerva::tests {

// The functions that the library exports; dlopen() of the same file finds the copy that the program uses.
struct DescribingControls {
  // Paths of description files, one a line. `whole`: subgroup sizes and matrix units as described, for questions alone; else those of the
  // device that runs the work, and no feature that it lacks. Returns "" or what is wrong with a file.
  const char* (*describe)(const char* paths, bool whole);
  // Heaps that a device uses as its own are at most that large; 0: as described. All of one that shares the system's memory are such.
  void (*limitHeaps)(unsigned long long bytes);
  void (*timestamps)(unsigned long long first, unsigned long long second);  // counts that queries answer, until describe()
  // Matrix units as described, whose kernels do nothing; until describe(). How many of these were made.
  void (*emptyUnits)();
  unsigned long long (*unitPipelines)();
  void (*endsAtUnits)(bool ends);                  // the driver ends the program when it is asked for its matrix units
  const char* (*violations)();                     // since describe(), one a line
  unsigned long long (*stagedBytes)();             // copied from the host's memory to the device's, since describe()
  unsigned long long (*heapBytes)(unsigned heap);  // allocated now
  unsigned long long (*mappedBytes)();             // of the device's memory, mapped since describe()
  unsigned long (*submissions)(unsigned family);   // to queues of that family, since describe()
  unsigned long long (*priorBytes)();              // allocated since describe() with a priority
  unsigned long long (*dispatches)();              // recorded since describe()
  bool (*cached)(const void* mapped);              // whether the host reads that address of mapped memory fast
  long (*allocations)();                           // that live now
};

}  // namespace minerva::tests
