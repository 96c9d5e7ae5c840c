import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

export default defineSinkSettings({
  kind: 'VENDOR_A_DB',
  fields: {
    token: secret(),
    api_endpoint: z.string(),
    collection_name: z.string().describe('Created when it does not exist.'),
    embedding_dimension: z.int(),
    keyspace: field.text().describe('The default keyspace when omitted.'),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ api_endpoint, keyspace, collection_name }) => [api_endpoint, keyspace, collection_name],
});
