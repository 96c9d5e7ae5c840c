import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

export default defineSinkSettings({
  kind: 'VENDOR_D',
  fields: {
    db_uri: secret(),
    db_name: z.string(),
    collection_name: z.string(),
    vector_index_name: field.text(),
    fulltext_index_name: field.text(),
    embedding_dimension: field.int(),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ db_uri, db_name, collection_name, vector_index_name, fulltext_index_name }) => [
    hostsOf(db_uri),
    db_name,
    collection_name,
    vector_index_name,
    fulltext_index_name,
  ],
});

/** The hosts of `mongodb://user:password@host,host/database?options`: a new password moves no data. */
function hostsOf(uri: string): string | undefined {
  const [authority] = uri.replace(/^[\w+]*:\/\//, '').split(/[/?]/, 1);
  return authority?.slice(authority.lastIndexOf('@') + 1);
}
