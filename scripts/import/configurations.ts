import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { RequestFailure } from './failures.ts';
import { nameOf, replacedAt } from './masks.ts';
import { ensure, type Move, made, type Reading, sifted } from './move.ts';
import { cursorPages } from './pages.ts';

const PATH = '/api/v1/beta/configurations';

/** Others belong to products that Sluice has not. */
const COPIED = new Set(['extract_v2', 'classify_v2', 'parse_v2']);

const configuration = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  product_type: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});
export type Configuration = z.output<typeof configuration>;

/** Older servers have none, which is no failure. */
export async function listConfigurations(move: Reading): Promise<Configuration[]> {
  const all: Configuration[] = [];
  try {
    for await (const items of cursorPages(move.from, PATH, { project_id: move.fromProject })) {
      all.push(...sifted(move, 'configuration', configuration, items));
    }
  } catch (cause) {
    if (!(cause instanceof RequestFailure) || cause.status !== 404) throw cause;
    move.report.note('configuration', '(all)', 'the source has no saved configurations');
  }
  return all;
}

export async function copyConfigurations(move: Move, items: readonly Configuration[]): Promise<void> {
  const query = { project_id: move.toProject };
  for (const item of items) {
    if (!COPIED.has(item.product_type)) {
      move.report.fail('configuration', item.name, `Sluice has no configurations of ${item.product_type}`);
      continue;
    }
    if (move.state.get('configuration', item.id) !== undefined) {
      move.report.count('configurations', false);
      continue;
    }
    const parameters = await parametersOf(move, item);
    await ensure(move, 'configuration', item, {
      found: () => sameAtTarget(move, item),
      make: () =>
        move.to.call(made, 'POST', PATH, { query, body: { name: item.name, parameters }, makes: true }),
    });
  }
}

/** Versions of one configuration share its name; what they say tells them apart. */
async function sameAtTarget(move: Move, item: Configuration): Promise<Configuration[]> {
  const same: Configuration[] = [];
  const query = { project_id: move.toProject, name: item.name };
  for await (const items of cursorPages(move.to, PATH, query)) {
    for (const one of items) {
      const { data } = configuration.safeParse(one);
      if (data?.name === item.name && data.product_type === item.product_type && agrees(data, item)) {
        same.push(data);
      }
    }
  }
  return same;
}

/** The schema or the rules; of the rest each server answers what it knows. */
const agrees = (one: Configuration, other: Configuration) =>
  (['data_schema', 'rules', 'system_prompt', 'tier', 'extraction_target'] as const).every(
    (name) =>
      one.parameters[name] == null ||
      other.parameters[name] == null ||
      isDeepStrictEqual(one.parameters[name], other.parameters[name]),
  );

async function parametersOf(move: Move, { name, product_type, parameters }: Configuration): Promise<unknown> {
  const { data_schema, ...searched } = parameters;
  const { value, missing } = await move.secrets.fill({ group: 'configurations', name }, searched, {
    within: false,
  });
  let filled = value as Record<string, unknown>;
  for (const path of missing.toReversed()) {
    move.report.note('configuration', name, `made without its secret ${nameOf(path)}`);
    filled = replacedAt(filled, path, undefined) as Record<string, unknown>;
  }
  const present = Object.entries(filled).filter(([, part]) => part !== null);
  return {
    ...Object.fromEntries(present),
    ...(data_schema != null && { data_schema }),
    product_type,
  };
}
