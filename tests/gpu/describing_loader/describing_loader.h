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
  void (*limitHeaps)(unsigned long long bytes);  // heaps of device memory are at most that large; 0: as described
  void (*timestamps)(unsigned long long first, unsigned long long second);  // counts that queries answer, until describe()
  const char* (*violations)();                                              // since describe(), one a line
  unsigned long long (*hostBytes)();                                        // allocated since describe() in memory that is not the device's
  unsigned long long (*mappedBytes)();                                      // of the device's memory, mapped since describe()
  unsigned long (*submissions)(unsigned family);                            // to queues of that family, since describe()
  long (*allocations)();                                                    // that live now
};

}  // namespace minerva::tests
