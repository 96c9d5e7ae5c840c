import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

export default defineSinkSettings({
  kind: 'VENDOR_G',
  fields: {
    api_key: secret(),
    collection_name: z.string(),
    url: z.string(),
    client_kwargs: field.map(),
    max_retries: z.int().nullable().default(3),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ url, collection_name }) => [url, collection_name],
});
