import { z } from 'zod';
import { field, regexText } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';

export const s3Fields = {
  bucket: z.string(),
  cloud_access_id: field.text(),
  cloud_access_secret: secret().nullish(),
  prefix: field.text(),
  regex_pattern: regexText().nullish(),
  bucket_endpoint_url: field.text(),
};
export type S3Settings = z.infer<z.ZodObject<typeof s3Fields, z.core.$loose>>;
