import { TooLarge } from '#src/lib/errors.ts';
import { toHex } from '#src/lib/secrets/hash.ts';

/** Part size in bytes. R2 requires equal parts of at least 5 MiB. About one part is kept in memory. */
const PART_BYTES = 8 * 1024 * 1024;

export interface WrittenObject {
  size: number;
  contentHash: string;
}

/**
 * Writes an object of unknown length in chunks and computes its hash. A small object is written with one
 * request, and a larger one with a multipart upload. The object becomes visible only after `finish`.
 */
export class ObjectWriter {
  readonly #bucket: R2Bucket;
  readonly #key: string;
  readonly #limit: number;
  readonly #options: R2MultipartOptions;
  readonly #digest = new crypto.DigestStream('SHA-256');
  readonly #hasher = this.#digest.getWriter();
  #part = new Uint8Array(0);
  #filled = 0;
  #size = 0;
  #upload: R2MultipartUpload | undefined;
  #parts: R2UploadedPart[] = [];

  /**
   * Creates a writer. If more than `limit` bytes are written, it rejects with TooLarge. `options` contains
   * the metadata of the object.
   */
  constructor(bucket: R2Bucket, key: string, limit: number, options: R2MultipartOptions = {}) {
    this.#bucket = bucket;
    this.#key = key;
    this.#limit = limit;
    this.#options = options;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.byteLength;
    if (this.#size > this.#limit) {
      throw new TooLarge(`File size exceeds ${Math.floor(this.#limit / 1024 / 1024)}MB limit.`);
    }
    await this.#hasher.write(chunk);
    let rest = chunk;
    while (rest.byteLength > 0) {
      const taken = rest.subarray(0, PART_BYTES - this.#filled);
      this.#growPart(this.#filled + taken.byteLength);
      this.#part.set(taken, this.#filled);
      this.#filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (this.#filled === PART_BYTES) await this.#sendPart();
    }
  }

  /** Grows the buffer by doubling, so that a small file never allocates a whole part. */
  #growPart(needed: number): void {
    if (needed <= this.#part.byteLength) return;
    const grown = new Uint8Array(
      Math.min(PART_BYTES, Math.max(needed, this.#part.byteLength * 2, 64 * 1024)),
    );
    grown.set(this.#part.subarray(0, this.#filled));
    this.#part = grown;
  }

  async #sendPart(): Promise<void> {
    this.#upload ??= await this.#bucket.createMultipartUpload(this.#key, this.#options);
    this.#parts.push(
      await this.#upload.uploadPart(this.#parts.length + 1, this.#part.subarray(0, this.#filled)),
    );
    this.#filled = 0;
  }

  async finish(): Promise<WrittenObject> {
    await this.#hasher.close();
    const contentHash = toHex(await this.#digest.digest);
    if (this.#upload) {
      if (this.#filled > 0) await this.#sendPart();
      await this.#upload.complete(this.#parts);
    } else {
      await this.#bucket.put(this.#key, this.#part.subarray(0, this.#filled), this.#options);
    }
    return { size: this.#size, contentHash };
  }

  async abort(): Promise<void> {
    await this.#hasher.abort().catch(() => {});
    // Nothing awaits the digest after an abort. Its rejection is caught here, so that it is not reported as
    // unhandled.
    this.#digest.digest.catch(() => {});
    await this.#upload?.abort();
  }
}

/** Copies a stream into the bucket. If it fails, nothing is left in the bucket. */
export async function writeStream(
  bucket: R2Bucket,
  key: string,
  stream: AsyncIterable<Uint8Array>,
  limit: number,
  options?: R2MultipartOptions,
): Promise<WrittenObject> {
  const writer = new ObjectWriter(bucket, key, limit, options);
  try {
    for await (const chunk of stream) await writer.write(chunk);
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
