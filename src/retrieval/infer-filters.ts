import { generateText, type LanguageModel, Output } from 'ai';
import { z } from 'zod';
import { inferFilters } from '#src/builtin/filter-inference/index.ts';
import { describeExcess, listProperties } from '#src/builtin/filter-inference/schema.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { Filters } from '#src/ports/index-types.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { modelOrBuiltin } from '#src/ports/model-or-builtin.ts';
import { metadataFilters, toFilters } from '#src/retrieval-contract/filter-schema.ts';
import type { Report } from './ports.ts';

const BUILTIN = 'builtin/wording-1';
const TIMEOUT_MS = 15_000;

/**
 * Infers metadata filters from the wording of a query. `schema` is a JSON schema of the metadata. Returns
 * `undefined` if the query implies no filters. The built-in method is used if no model is configured or the
 * model fails.
 */
export async function inferSearchFilters(
  query: string,
  schema: Record<string, unknown>,
  model: LanguageModel | undefined,
  { notes }: Pick<Report, 'notes'>,
): Promise<Filters | undefined> {
  const why = findSchemaProblem(schema);
  if (why) {
    notes.filter_inference_failed = why;
    return undefined;
  }
  try {
    return await modelOrBuiltin<Filters | undefined>(
      'filter_inference',
      notes,
      model && { name: getModelName(model), run: () => askModel(query, schema, model) },
      { name: BUILTIN, run: () => inferFilters(query, schema) },
    );
  } catch (error) {
    notes.filter_inference_failed = getErrorMessage(error);
    return undefined;
  }
}

/**
 * Returns the reason why no filters can be inferred with this schema. A preset from an earlier release may
 * exceed the present size limit.
 */
function findSchemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    const excess = describeExcess(schema);
    return excess && `search_filters_inference_schema ${excess}`;
  } catch (error) {
    return getErrorMessage(error);
  }
}

const answer = z.object({
  filters: z.array(
    z.object({
      key: z.string(),
      operator: z.string(),
      value: z.union([z.string(), z.number(), z.array(z.string()), z.array(z.number())]),
    }),
  ),
});

const INSTRUCTIONS =
  'You read metadata filters off a search query. Answer with JSON {"filters": [{"key", "operator", "value"}]}. ' +
  'Keys are properties of the schema. Operators: == != > >= < <= for one value, in and nin for a list, contains ' +
  'for a part of a string. Write a boolean as "true" or "false" and a date as the schema does. Filter only by what ' +
  'the query says; an empty list when it says nothing about the properties.';

/** Asks a language model for the filters that a query implies. Throws if the answer is not a valid filter. */
async function askModel(
  query: string,
  schema: Record<string, unknown>,
  model: LanguageModel,
): Promise<Filters | undefined> {
  const { output } = await generateText({
    model,
    temperature: 0,
    maxRetries: 0,
    abortSignal: AbortSignal.timeout(TIMEOUT_MS),
    output: Output.object({ schema: answer }),
    system: INSTRUCTIONS,
    prompt: `Schema: ${JSON.stringify(schema)}\nToday: ${new Date().toISOString().slice(0, 10)}\nQuery: ${query}`,
  });
  const known = new Set(listProperties(schema).map(({ key }) => key));
  const filters = output.filters.filter(({ key }) => known.has(key));
  if (filters.length === 0) return undefined;
  return toFilters(metadataFilters.parse({ condition: 'and', filters }));
}
