import type { EncodedImage } from '#src/documents/document.ts';

/**
 * Resolution of page pictures in dots per inch. At this resolution body text is readable, and a page takes a
 * few hundred kilobytes.
 */
export const SCREENSHOT_DPI = 150;

/** Stores a picture in the bucket, where the API operations for page images look for it. */
export async function storeImage(
  bucket: R2Bucket,
  key: string,
  image: EncodedImage,
  facts: Record<string, string> = {},
): Promise<void> {
  await bucket.put(key, image.bytes, {
    httpMetadata: { contentType: image.mimeType },
    customMetadata: { width: String(image.width), height: String(image.height), ...facts },
  });
}
