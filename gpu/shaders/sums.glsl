// Sums over a workgroup of TEAMS subgroups, a specialization constant of the including kernel.
shared float parts[TEAMS];

// Sum over all invocations of the workgroup.
float sumOfAll(float value) {
  value = subgroupAdd(value);
  if (TEAMS == 1u) return value;
  barrier();
  if (subgroupElect()) parts[gl_LocalInvocationID.x * TEAMS / gl_WorkGroupSize.x] = value;
  barrier();
  float sum = 0.0;
  for (uint i = 0; i < TEAMS; ++i) sum += parts[i];
  return sum;
}
