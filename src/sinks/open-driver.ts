import type { z } from 'zod';
import { BadRequest } from '#src/lib/errors.ts';
import type { FilterOperator, Filters } from '#src/ports/index-types.ts';
import type { Sink, SinkCapabilities, SinkDeps } from '#src/ports/sink.ts';
import type { SinkDriver } from './define.ts';
import { patientSink } from './patient.ts';

/** Opens an index in its store. The driver is asked for nothing that its capabilities rule out, and waited for with patience. */
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
    async query({ text, ...query }) {
      if (query.filters) refuseUnsupported(kind, capabilities, query.filters);
      const hasWords = text !== undefined && capabilities.sparse === 'native';
      return store.query({ ...query, ...(hasWords && { text }) });
    },
  };
  return patientSink(sink, deps.settings.SILENCE_SECONDS);
}

/** A filter that the store would read in its own way, or not at all, would show what the caller wants hidden. */
function refuseUnsupported(kind: string, { filters: able }: SinkCapabilities, filters: Filters): void {
  const unknown = [...operatorsIn(filters)].filter((operator) => !able.operators.includes(operator));
  if (unknown.length > 0) {
    throw new BadRequest(`The data sink (${kind}) cannot filter with ${unknown.join(', ')}.`);
  }
  if (!able.nesting && filters.filters.some((part) => 'filters' in part)) {
    throw new BadRequest(`The data sink (${kind}) takes no groups of filters within groups.`);
  }
}

function operatorsIn(filters: Filters): Set<FilterOperator> {
  const found = new Set<FilterOperator>();
  for (const part of filters.filters) {
    if ('filters' in part) for (const operator of operatorsIn(part)) found.add(operator);
    else found.add(part.operator);
  }
  return found;
}
