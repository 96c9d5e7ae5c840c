import { z } from 'zod';
import { LOG_LEVELS } from '#src/lib/log.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';

/**
 * Schema of the environment variables for reading scanned pages. Variables that are missing for OCR are taken
 * from the chat model.
 */
export const ocrSettingsSchema = z.object({
  ALLOW_PRIVATE_ADDRESSES: z.stringbool().default(false),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  OCR_BASE_URL: z.url().optional(),
  OCR_API_KEY: z.string().optional(),
  OCR_MODEL: z.string().min(1).optional(),
  LLM_BASE_URL: z.url().optional(),
  LLM_API_KEY: z.string().optional(),
  LLM_MODEL: z.string().optional(),
});

export type OcrSettings = z.infer<typeof ocrSettingsSchema>;

/**
 * Parses the environment variables for OCR and registers their secrets for removal from logs. Throws an
 * `Error` that names every invalid variable without its value.
 */
export function readOcrSettings(env: object): OcrSettings {
  const result = ocrSettingsSchema.safeParse(env);
  if (result.success) {
    rememberSecrets(listSecretVariables(result.data));
    return result.data;
  }
  const names = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(
    `The configuration of OCR is invalid: ${names.join('; ')}. See docs/reference/configuration.md.`,
  );
}
