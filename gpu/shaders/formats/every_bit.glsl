// Of four codes in the bytes of a word at once: a byte becomes all ones if its lowest bit, the only one it has, is set.
uint everyBit(uint lowest) { return (lowest << 8) - lowest; }
