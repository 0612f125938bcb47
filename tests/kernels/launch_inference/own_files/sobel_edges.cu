/* Sobel filter. Border pixels stay as they are. */
__global__ void sobel(const unsigned char *img, unsigned char *edges, int w, int h, int threshold)
{
	int x = threadIdx.x + blockIdx.x * blockDim.x;
	int y = threadIdx.y + blockIdx.y * blockDim.y;

	if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
		int gx = -img[(y-1)*w + x-1] - 2*img[y*w + x-1] - img[(y+1)*w + x-1]
		         +img[(y-1)*w + x+1] + 2*img[y*w + x+1] + img[(y+1)*w + x+1];
		int gy = -img[(y-1)*w + x-1] - 2*img[(y-1)*w + x] - img[(y-1)*w + x+1]
		         +img[(y+1)*w + x-1] + 2*img[(y+1)*w + x] + img[(y+1)*w + x+1];
		int g = abs(gx) + abs(gy);
		edges[y*w + x] = g > threshold ? 255 : 0;
	}
}
