import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

export default defineSinkSettings({
  kind: 'VENDOR_C',
  fields: {
    uri: z.string(),
    token: secret().nullish(),
    collection_name: field.text(),
    embedding_dimension: field.int(),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ uri, collection_name }) => [uri, collection_name],
});
