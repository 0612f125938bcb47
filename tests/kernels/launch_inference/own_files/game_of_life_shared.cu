#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char ubyte;

__global__ void lifeKernel(const ubyte* lifeData, unsigned int worldWidth, unsigned int worldHeight, ubyte* resultLifeData)
{
    unsigned int worldSize = worldWidth * worldHeight;

    for (unsigned int cellId = blockIdx.x * blockDim.x + threadIdx.x; cellId < worldSize; cellId += blockDim.x * gridDim.x) {
        unsigned int x = cellId % worldWidth;
        unsigned int yAbs = cellId - x;
        unsigned int xLeft = (x + worldWidth - 1) % worldWidth;
        unsigned int xRight = (x + 1) % worldWidth;
        unsigned int yAbsUp = (yAbs + worldSize - worldWidth) % worldSize;
        unsigned int yAbsDown = (yAbs + worldWidth) % worldSize;

        unsigned int aliveCells = lifeData[xLeft + yAbsUp] + lifeData[x + yAbsUp] + lifeData[xRight + yAbsUp]
            + lifeData[xLeft + yAbs] + lifeData[xRight + yAbs]
            + lifeData[xLeft + yAbsDown] + lifeData[x + yAbsDown] + lifeData[xRight + yAbsDown];

        resultLifeData[x + yAbs] = aliveCells == 3 || (aliveCells == 2 && lifeData[x + yAbs]) ? 1 : 0;
    }
}

void runLife(ubyte*& d_lifeData, ubyte*& d_lifeDataBuffer, size_t worldWidth, size_t worldHeight,
             size_t iterationsCount, unsigned short threadsCount)
{
    if ((worldWidth * worldHeight) % threadsCount != 0) return;
    size_t reqBlocksCount = (worldWidth * worldHeight) / threadsCount;
    unsigned short blocksCount = (unsigned short)(reqBlocksCount < 32768 ? reqBlocksCount : 32768);
    for (size_t i = 0; i < iterationsCount; ++i) {
        lifeKernel<<<blocksCount, threadsCount>>>(d_lifeData, (unsigned int)worldWidth, (unsigned int)worldHeight, d_lifeDataBuffer);
        std::swap(d_lifeData, d_lifeDataBuffer);
    }
    cudaDeviceSynchronize();
}
