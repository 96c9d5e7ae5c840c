import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

export default defineSinkSettings({
  kind: 'VENDOR_B_SEARCH',
  fields: {
    search_service_api_key: secret(),
    search_service_endpoint: z.string(),
    client_id: field.text(),
    client_secret: secret().nullish(),
    embedding_dimension: field.int(),
    filterable_metadata_field_keys: field.map(),
    index_name: field.text(),
    search_service_api_version: field.text(),
    tenant_id: field.text(),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  // Fields that are to be filterable are part of how the store's index is made.
  location: ({ search_service_endpoint, index_name, filterable_metadata_field_keys }) => [
    search_service_endpoint,
    index_name,
    filterable_metadata_field_keys,
  ],
});
