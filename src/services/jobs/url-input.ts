import type { Context } from '#src/context/context.ts';
import { hasUrlSecrets, replaceUrlSecrets } from '#src/lib/secrets/secret-names.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { MASK } from '#src/services/secrets/secret-places.ts';

const ring = (ctx: Context) => keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Returns a job's input with user information and signatures of a URL masked. */
export const shownInput = (input: string): string => replaceUrlSecrets(input, () => MASK);

/** Returns the columns of an input: the masked form, and the encrypted original if it differs. */
export async function inputColumns(
  ctx: Context,
  jobId: string,
  input: string,
): Promise<{ fileInput: string; sealedInput: string | null }> {
  if (!hasUrlSecrets(input)) return { fileInput: input, sealedInput: null };
  const sealedInput = await ring(ctx).seal(input, sealedPlaces.jobInput(jobId));
  return { fileInput: shownInput(input), sealedInput };
}

/** Returns the original input. */
export async function openInput(
  ctx: Context,
  job: { id: string; fileInput: string; sealedInput: string | null },
): Promise<string> {
  return job.sealedInput ? ring(ctx).open(job.sealedInput, sealedPlaces.jobInput(job.id)) : job.fileInput;
}
