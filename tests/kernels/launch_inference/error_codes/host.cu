int main() { return 0; }
int helper(int x) { return x; }
__global__ void k(int *a) { a[0] = helper(1); }
