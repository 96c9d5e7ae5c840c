import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

export default defineSinkSettings({
  kind: 'VENDOR_E',
  fields: {
    api_key: secret(),
    index_name: z.string(),
    namespace: field.text(),
    insert_kwargs: field.map(),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ index_name, namespace }) => [index_name, namespace],
});
