import type { Context } from '#src/context/context.ts';
import { hasUrlSecrets, replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { MASK } from '#src/services/secrets/secret-places.ts';

const ring = (ctx: Context) =>
  parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Returns a job's input with the credentials and signatures in its URL masked. */
export const maskInput = (input: string): string => replaceUrlSecrets(input, () => MASK);

/** Returns the columns for an input: its masked form, and the encrypted original if the two differ. */
export async function buildInputColumns(
  ctx: Context,
  jobId: string,
  input: string,
): Promise<{ fileInput: string; sealedInput: string | null }> {
  if (!hasUrlSecrets(input)) return { fileInput: input, sealedInput: null };
  const sealedInput = await ring(ctx).seal(input, sealedPlaces.jobInput(jobId));
  return { fileInput: maskInput(input), sealedInput };
}

/** Returns the original input, decrypted if necessary. */
export async function openInput(
  ctx: Context,
  job: { id: string; fileInput: string; sealedInput: string | null },
): Promise<string> {
  return job.sealedInput ? ring(ctx).open(job.sealedInput, sealedPlaces.jobInput(job.id)) : job.fileInput;
}
