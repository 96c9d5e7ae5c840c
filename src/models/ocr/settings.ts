import { z } from 'zod';
import { LOG_LEVELS } from '#src/lib/log.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';

/** Variables of the Worker that reads scanned pages. What is absent for OCR is as for chat. */
const ocrSettings = z.object({
  ALLOW_PRIVATE_ADDRESSES: z.stringbool().default(false),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  OCR_BASE_URL: z.url().optional(),
  OCR_API_KEY: z.string().optional(),
  OCR_MODEL: z.string().min(1).optional(),
  LLM_BASE_URL: z.url().optional(),
  LLM_API_KEY: z.string().optional(),
  LLM_MODEL: z.string().optional(),
});

export type OcrSettings = z.infer<typeof ocrSettings>;

/**
 * Reads the variables and has their secrets removed from the log.
 *
 * @throws Error that names every wrong variable, without a value
 */
export function ocrSettingsOf(env: object): OcrSettings {
  const result = ocrSettings.safeParse(env);
  if (result.success) {
    rememberSecrets(listSecretVariables(result.data));
    return result.data;
  }
  const names = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Configuration of OCR is wrong: ${names.join('; ')}. See docs/configuration.md.`);
}
