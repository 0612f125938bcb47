#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && THREADS == 384
#define GROUPS
#endif
int a;
#ifdef GROUPS
int b;
int c;
#else
int d;
#endif
int e;
#if __CUDA_ARCH__ >= 900
int f;
#endif
