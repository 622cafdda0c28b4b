// For four codes in the bytes of a word at once: a byte of bits is all ones or all zeros after its multiplication by 255.
uint everyBit(uint lowest) { return lowest * 255u; }
