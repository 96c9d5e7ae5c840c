import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';

export const boxFields = {
  authentication_mechanism: z.enum(['ccg', 'developer_token']),
  client_id: field.text(),
  client_secret: secret().nullish(),
  developer_token: secret().nullish().describe('Used when the mechanism is developer_token.'),
  enterprise_id: field.text().describe('Authenticates as the service.'),
  folder_id: field.text().describe('With all that is below it; absent: all folders.'),
  user_id: field.text().describe('Authenticates as this user, also when there is an enterprise_id.'),
};

export type BoxSettings = z.infer<z.ZodObject<typeof boxFields>>;

/** Throws a SourceError if the settings lack fields that the authentication mechanism requires. */
export function checkComplete(settings: BoxSettings): void {
  const { authentication_mechanism: mechanism, user_id, enterprise_id } = settings;
  const needed =
    mechanism === 'developer_token'
      ? (['developer_token'] as const)
      : (['client_id', 'client_secret', user_id ? 'user_id' : 'enterprise_id'] as const);
  const missing = needed.filter((name) => !settings[name]);
  if (missing.length === 0) return;
  const also = missing.includes('enterprise_id' as never) && !enterprise_id ? ' or user_id' : '';
  const message = `Box needs ${missing.join(', ')}${also} with the authentication_mechanism ${mechanism}.`;
  throw new SourceError(message, { retryable: false });
}
