import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';

export const blobFields = {
  account_url: z
    .string()
    .describe(
      'URL such as https://account.blob.core.windows.net. If its query is a shared access signature, no other credentials are needed.',
    ),
  container_name: z.string(),
  account_key: secret().nullish().describe('Account key or shared access signature.'),
  account_name: field
    .text()
    .describe('Account of account_key. Needed only if account_url does not contain the account name.'),
  blob: field.text().describe('Full name of a single blob to read.'),
  client_id: field.text().describe('Client id of an application. Requires client_secret and tenant_id.'),
  client_secret: secret().nullish(),
  prefix: field.text().describe('Only blobs whose names begin with this text are read.'),
  tenant_id: field.text(),
};

export type BlobSettings = z.infer<z.ZodObject<typeof blobFields>>;
