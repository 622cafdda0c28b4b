// Cooperative matrices, held by a whole subgroup and multiplied by matrix units: SUM += A * B, A and B in float16, SUM in
// float32, or in float16 where the device has that, too.
// The including kernel has constants UNIT_M, UNIT_N, UNIT_K: the sizes of one multiplication.
#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, UNIT_M, UNIT_K, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, UNIT_K, UNIT_N, gl_MatrixUseB>
#define MatrixSum coopmat<float, gl_ScopeSubgroup, UNIT_M, UNIT_N, gl_MatrixUseAccumulator>
#define MatrixHalfSum coopmat<float16_t, gl_ScopeSubgroup, UNIT_M, UNIT_N, gl_MatrixUseAccumulator>
#define matrixMulAdd coopMatMulAdd
// `at` and `stride` count elements of `from`, which may be vectors; B is stored column-major.
#define matrixLoadA(matrix, from, at, stride) coopMatLoad(matrix, from, at, stride, gl_CooperativeMatrixLayoutRowMajor)
#define matrixLoadB(matrix, from, at, stride) coopMatLoad(matrix, from, at, stride, gl_CooperativeMatrixLayoutColumnMajor)
// B stored row-major.
#define matrixLoadBRows(matrix, from, at, stride) coopMatLoad(matrix, from, at, stride, gl_CooperativeMatrixLayoutRowMajor)
// Each element of row i is from[at + i]: columns that lie on each other.
#define matrixLoadRows(matrix, from, at) coopMatLoad(matrix, from, at, 0, gl_CooperativeMatrixLayoutColumnMajor)
#define matrixStore(matrix, to, at, stride) coopMatStore(matrix, to, at, stride, gl_CooperativeMatrixLayoutRowMajor)
