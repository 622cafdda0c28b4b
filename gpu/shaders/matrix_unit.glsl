// Matrices that a subgroup holds together and a GPU's matrix units multiply: SUM += A * B, A and B of halves, SUM of floats.
// Two names for one thing: what Khronos made of it, and what NVIDIA had before. variants.cmake defines the one glslc knows.
// The including kernel has constants UNIT_M, UNIT_N, UNIT_K: the sizes the device multiplies at once.
#ifdef MATRIX_UNIT_KHR
#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, UNIT_M, UNIT_K, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, UNIT_K, UNIT_N, gl_MatrixUseB>
#define MatrixSum coopmat<float, gl_ScopeSubgroup, UNIT_M, UNIT_N, gl_MatrixUseAccumulator>
#define matrixMulAdd coopMatMulAdd
// `at` and `stride` count elements of `from`, which may be vectors; B lies column after column.
#define matrixLoadA(matrix, from, at, stride) coopMatLoad(matrix, from, at, stride, gl_CooperativeMatrixLayoutRowMajor)
#define matrixLoadB(matrix, from, at, stride) coopMatLoad(matrix, from, at, stride, gl_CooperativeMatrixLayoutColumnMajor)
#define matrixStore(matrix, to, at, stride) coopMatStore(matrix, to, at, stride, gl_CooperativeMatrixLayoutRowMajor)
#else
#define MatrixA fcoopmatNV<16, gl_ScopeSubgroup, UNIT_M, UNIT_K>
#define MatrixB fcoopmatNV<16, gl_ScopeSubgroup, UNIT_K, UNIT_N>
#define MatrixSum fcoopmatNV<32, gl_ScopeSubgroup, UNIT_M, UNIT_N>
#define matrixMulAdd coopMatMulAddNV
#define matrixLoadA(matrix, from, at, stride) coopMatLoadNV(matrix, from, at, stride, false)
#define matrixLoadB(matrix, from, at, stride) coopMatLoadNV(matrix, from, at, stride, true)
#define matrixStore(matrix, to, at, stride) coopMatStoreNV(matrix, to, at, stride, false)
#endif
