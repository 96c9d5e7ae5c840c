import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';

export const blobFields = {
  account_url: z
    .string()
    .describe(
      'As https://account.blob.core.windows.net. With the query of a shared access signature it needs no other credentials.',
    ),
  container_name: z.string(),
  account_key: secret().nullish().describe('A key of the account, or a shared access signature.'),
  account_name: field
    .text()
    .describe('Whose key account_key is, where account_url does not name the account.'),
  blob: field.text().describe('Reads this blob alone, by its whole name.'),
  client_id: field.text().describe('Of an application, with client_secret and tenant_id.'),
  client_secret: secret().nullish(),
  prefix: field.text().describe('Reads the blobs whose names begin so.'),
  tenant_id: field.text(),
};

export type BlobSettings = z.infer<z.ZodObject<typeof blobFields>>;
