import { TooLarge } from '#src/lib/errors.ts';
import { toHex } from '#src/lib/secrets/hash.ts';

/** R2 wants equal parts of at least 5 MiB; memory in use stays near one part. */
const PART_BYTES = 8 * 1024 * 1024;

export interface WrittenObject {
  size: number;
  /** SHA-256 of the bytes, hex. */
  contentHash: string;
}

/**
 * Writes an object of unknown length chunk by chunk, hashing on the way. Small objects are one put; larger
 * ones a multipart upload. Nothing is visible under the key until `finish`.
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

  /** `limit`: most bytes to take; more rejects with TooLarge. `options`: what is said of the bytes. */
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
      this.#reserve(this.#filled + taken.byteLength);
      this.#part.set(taken, this.#filled);
      this.#filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (this.#filled === PART_BYTES) await this.#sendPart();
    }
  }

  /** Doubling, so that a small file never claims a whole part. */
  #reserve(needed: number): void {
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
    // Awaited nowhere else once aborted: without this the rejection would be unhandled.
    this.#digest.digest.catch(() => {});
    await this.#upload?.abort();
  }
}

/** Copies a whole stream into the bucket; nothing is left behind when it fails. */
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
