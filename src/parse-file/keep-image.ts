import type { EncodedImage } from '#src/documents/document.ts';

/** Pages are drawn like this: body text is readable, a page is a few hundred kilobytes. */
export const SCREENSHOT_DPI = 150;

/** Puts a picture into the bucket, where the page image operations look for it. */
export async function keepImage(
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
