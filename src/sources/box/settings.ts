import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';

export const boxFields = {
  authentication_mechanism: z.enum(['ccg', 'developer_token']),
  client_id: field.text(),
  client_secret: secret().nullish(),
  developer_token: secret().nullish().describe('Used if authentication_mechanism is developer_token.'),
  enterprise_id: field.text().describe('Enterprise whose service account reads the files.'),
  folder_id: field.text().describe('Folder to read with all of its subfolders. Defaults to all folders.'),
  user_id: field.text().describe('User whose files are read. Takes precedence over enterprise_id.'),
};

export type BoxSettings = z.infer<z.ZodObject<typeof boxFields>>;

export function requireCompleteSettings(settings: BoxSettings): void {
  const { authentication_mechanism: mechanism, user_id, enterprise_id } = settings;
  const needed =
    mechanism === 'developer_token'
      ? (['developer_token'] as const)
      : (['client_id', 'client_secret', user_id ? 'user_id' : 'enterprise_id'] as const);
  const missing = needed.filter((name) => !settings[name]);
  if (missing.length === 0) return;
  const also = missing.includes('enterprise_id' as never) && !enterprise_id ? ' or user_id' : '';
  const message = `With authentication_mechanism ${mechanism}, Box requires ${missing.join(', ')}${also}.`;
  throw new SourceError(message, { retryable: false });
}
