import { field } from '#src/lib/schema/component.ts';

/** Name of the setting with which a store carries the whole search of an index. */
export const NATIVE_SEARCH = 'native_search';

/** Field of the settings of stores that can carry the whole search. */
export const nativeSearchField = () =>
  field
    .flag()
    .describe(
      'The store keeps texts, metadata, versions and words too, and answers whole searches. Sluice then has no index of its own.',
    );

/** Returns whether an index with these settings is searched by its store alone, without shards. */
export const usesNativeSearch = (component: Record<string, unknown>): boolean =>
  component[NATIVE_SEARCH] === true;
