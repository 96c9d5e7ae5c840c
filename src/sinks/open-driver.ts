import type { z } from 'zod';
import { BadRequest } from '#src/lib/errors.ts';
import type { FilterOperator, Filters } from '#src/ports/index-types.ts';
import type { Sink, SinkCapabilities, SinkDeps } from '#src/ports/sink.ts';
import type { SinkDriver } from './define.ts';
import { withSinkTimeout } from './sink-timeout.ts';

/**
 * Opens an index in its data sink. The returned object rejects filters that the sink does not support, and
 * limits the duration of each call.
 */
export function openDriver<
  Settings extends z.ZodObject,
  Deps extends SinkDeps,
  OpenDeps extends Deps & { indexId: string },
>(driver: SinkDriver<string, Settings, Deps, OpenDeps>, settings: z.output<Settings>, deps: OpenDeps): Sink {
  const { kind, capabilities } = driver;
  const store = driver.open(settings, deps);
  const sink: Sink = {
    ...store,
    kind,
    capabilities,
    async query({ text, weights, ...query }) {
      if (query.filters) rejectUnsupportedFilters(capabilities, query.filters);
      const hasSparse = capabilities.sparse === 'native';
      return store.query({
        ...query,
        ...(hasSparse && text !== undefined && { text }),
        ...(hasSparse && weights !== undefined && { weights }),
      });
    },
  };
  return withSinkTimeout(sink, deps.settings.SILENCE_SECONDS);
}

/**
 * Rejects filters that the data sink does not support. Ignoring them would return documents that the caller
 * wants to exclude.
 */
function rejectUnsupportedFilters({ filters: supported }: SinkCapabilities, filters: Filters): void {
  const unknown = [...listOperators(filters)].filter((operator) => !supported.operators.includes(operator));
  if (unknown.length > 0) {
    throw new BadRequest(`The index does not support the filter operators ${unknown.join(', ')}.`);
  }
  if (!supported.nesting && filters.filters.some((part) => 'filters' in part)) {
    throw new BadRequest('The index does not support filter groups within filter groups.');
  }
}

function listOperators(filters: Filters): Set<FilterOperator> {
  const found = new Set<FilterOperator>();
  for (const part of filters.filters) {
    if ('filters' in part) for (const operator of listOperators(part)) found.add(operator);
    else found.add(part.operator);
  }
  return found;
}
