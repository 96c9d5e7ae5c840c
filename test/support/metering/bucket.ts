import { type Billed, count } from './counts.ts';
import { heard } from './hear.ts';

const CLASS: Record<string, Billed> = {
  put: 'R2 class A',
  list: 'R2 class A',
  createMultipartUpload: 'R2 class A',
  uploadPart: 'R2 class A',
  complete: 'R2 class A',
  get: 'R2 class B',
  head: 'R2 class B',
  // Resuming a multipart upload costs nothing, so `resumeMultipartUpload` is not listed.
  delete: 'R2 free',
  abort: 'R2 free',
};
const WRITING = new Set(['put', 'complete']);

export function meteredBucket(bucket: R2Bucket): R2Bucket {
  return heard(bucket, tell);
}

function tell(name: string, _: unknown[], given: unknown): unknown {
  const billed = CLASS[name];
  if (billed) count(billed);
  if (name === 'resumeMultipartUpload') return heard(given as R2MultipartUpload, tell);
  if (name === 'createMultipartUpload') {
    return (given as Promise<R2MultipartUpload>).then((upload) => heard(upload, tell));
  }
  if (WRITING.has(name) || name === 'get') {
    return (given as Promise<R2Object | null>).then((object) => {
      const bytes = getObjectSize(object);
      count(name === 'get' ? 'R2 bytes read' : 'R2 bytes written', bytes);
      return object;
    });
  }
  return given;
}

/** Returns the number of bytes that a read requested. */
function getObjectSize(object: R2Object | null): number {
  const { range, size = 0 } = object ?? {};
  return range && 'length' in range ? (range.length ?? size) : size;
}
