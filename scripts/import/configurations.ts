import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { createdItem, findOrCreate, type ImportContext, parseItems, type SourceContext } from './context.ts';
import { RequestFailure } from './failures.ts';
import { formatPath, replaceAt } from './masks.ts';
import { cursorPages } from './pages.ts';

const PATH = '/api/v1/beta/configurations';

/** Product types of saved configurations that Sluice supports and the import copies. */
const COPIED = new Set(['extract_v2', 'classify_v2', 'parse_v2']);

const configuration = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  product_type: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});
export type Configuration = z.output<typeof configuration>;

/** Returns an empty list if the source has no saved configurations, as older servers do. */
export async function listConfigurations(context: SourceContext): Promise<Configuration[]> {
  const all: Configuration[] = [];
  try {
    for await (const items of cursorPages(context.from, PATH, { project_id: context.fromProject })) {
      all.push(...parseItems(context, 'configuration', configuration, items));
    }
  } catch (cause) {
    if (!(cause instanceof RequestFailure) || cause.status !== 404) throw cause;
    context.report.note('configuration', '(all)', 'the source has no saved configurations');
  }
  return all;
}

export async function copyConfigurations(
  context: ImportContext,
  items: readonly Configuration[],
): Promise<void> {
  const query = { project_id: context.toProject };
  for (const item of items) {
    if (!COPIED.has(item.product_type)) {
      context.report.fail(
        'configuration',
        item.name,
        `Sluice does not support saved configurations of type ${item.product_type}`,
      );
      continue;
    }
    if (context.state.get('configuration', item.id) !== undefined) {
      context.report.count('configurations', false);
      continue;
    }
    const parameters = await buildParameters(context, item);
    await findOrCreate(context, 'configuration', item, {
      found: () => findSameAtTarget(context, item),
      make: () =>
        context.to.call(createdItem, 'POST', PATH, {
          query,
          body: { name: item.name, parameters },
          isCreating: true,
        }),
    });
  }
}

/**
 * Finds the same version of a configuration at the target. All versions share a name, so their settings are
 * compared.
 */
async function findSameAtTarget(context: ImportContext, item: Configuration): Promise<Configuration[]> {
  const same: Configuration[] = [];
  const query = { project_id: context.toProject, name: item.name };
  for await (const items of cursorPages(context.to, PATH, query)) {
    for (const one of items) {
      const { data } = configuration.safeParse(one);
      if (
        data?.name === item.name &&
        data.product_type === item.product_type &&
        hasSameSettings(data, item)
      ) {
        same.push(data);
      }
    }
  }
  return same;
}

/**
 * Compares the settings that define a version. Each server returns only the settings that it knows, so
 * missing ones are ignored.
 */
const hasSameSettings = (one: Configuration, other: Configuration) =>
  (['data_schema', 'rules', 'system_prompt', 'tier', 'extraction_target'] as const).every(
    (name) =>
      one.parameters[name] == null ||
      other.parameters[name] == null ||
      isDeepStrictEqual(one.parameters[name], other.parameters[name]),
  );

async function buildParameters(
  context: ImportContext,
  { name, product_type, parameters }: Configuration,
): Promise<unknown> {
  const { data_schema, ...searched } = parameters;
  const { value, missing } = await context.secrets.fill({ group: 'configurations', name }, searched, {
    within: false,
  });
  let filled = value as Record<string, unknown>;
  for (const path of missing.toReversed()) {
    context.report.note('configuration', name, `created without its secret ${formatPath(path)}`);
    filled = replaceAt(filled, path, undefined) as Record<string, unknown>;
  }
  const present = Object.entries(filled).filter(([, part]) => part !== null);
  return {
    ...Object.fromEntries(present),
    ...(data_schema != null && { data_schema }),
    product_type,
  };
}
