/** Maximum number of objects per R2 delete call. */
const DELETE_BATCH = 1000;

export async function deleteKeys(bucket: R2Bucket, unused: string[]): Promise<void> {
  for (let from = 0; from < unused.length; from += DELETE_BATCH) {
    await bucket.delete(unused.slice(from, from + DELETE_BATCH));
  }
}

export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix, limit: DELETE_BATCH });
    if (objects.length > 0) await bucket.delete(objects.map((object) => object.key));
    if (!truncated) return;
  }
}
