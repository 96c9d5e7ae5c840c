import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const box = defineSourceSettings({
  kind: 'SOURCE_2_FOLDERS',
  fields: {
    authentication_mechanism: z.enum(['ccg', 'developer_token']),
    client_id: field.text(),
    client_secret: secret().nullish(),
    developer_token: secret().nullish().describe('Used when the mechanism is developer_token.'),
    enterprise_id: field.text().describe('Authenticates as the service.'),
    folder_id: field.text(),
    user_id: field.text().describe('Authenticates as this user.'),
  },
});
