import { z } from 'zod';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { type Option, type OptionGroup, PARSE_OPTIONS } from './options.ts';

type Flat = Record<string, unknown>;

const isOption = (node: Option | OptionGroup): node is Option => node.schema instanceof z.ZodType;

function buildShape(group: OptionGroup): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(group).map(([name, node]) => [
      name,
      isOption(node) ? node.schema : z.object(buildShape(node)).nullish(),
    ]),
  );
}

/** Schemas of the request fields that contain parse options, by field name. */
export const parseOptions: Record<string, z.ZodType> = buildShape(PARSE_OPTIONS);

/** Converts the parse options of a LlamaCloud client to parse parameters. */
export function toParameters(options: unknown): ParseParameters {
  return flatten(PARSE_OPTIONS, options) as ParseParameters;
}

function flatten(group: OptionGroup, given: unknown): Flat {
  if (!isRecord(given)) return {};
  const found = Object.entries(group).map(([name, node]) => {
    const value = given[name];
    if (value === undefined) return {};
    return isOption(node) ? node.parameters(value) : flatten(node, value);
  });
  return Object.assign({}, ...found) as Flat;
}

/**
 * Converts parse parameters to the option groups of LlamaCloud's clients. Parameters without a corresponding
 * option keep their names.
 */
export function toOptions(parameters: Flat): Flat {
  const named = new Set<string>();
  const options = unflatten(PARSE_OPTIONS, parameters, named) ?? {};
  const others = Object.entries(parameters).filter(([name]) => !named.has(name));
  return { ...Object.fromEntries(others), ...options };
}

function unflatten(group: OptionGroup, parameters: Flat, named: Set<string>): Flat | undefined {
  const members = Object.entries(group).flatMap(([name, node]) => {
    const value = isOption(node) ? node.option(parameters) : unflatten(node, parameters, named);
    if (value === undefined || value === null) return [];
    if (isOption(node)) for (const each of node.names) named.add(each);
    return [[name, value] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** Returns the path of the client option that sets a parse parameter, or `undefined` if no option sets it. */
export function findOptionPath(parameter: string, group: OptionGroup = PARSE_OPTIONS): string[] | undefined {
  for (const [name, node] of Object.entries(group)) {
    if (isOption(node)) {
      if ((node.names as readonly string[]).includes(parameter)) return [name];
      continue;
    }
    const below = findOptionPath(parameter, node);
    if (below) return [name, ...below];
  }
  return undefined;
}

/**
 * Rejects parse options that contradict each other. The errors name the options by the paths that the client
 * sent.
 */
export function refuseContradictions(options: unknown, context: z.core.$RefinementCtx): void {
  const { error } = parseParameters.safeParse(toParameters(options));
  for (const { path, message } of error?.issues ?? []) {
    const [first, ...rest] = path;
    context.addIssue({ code: 'custom', path: [...(findOptionPath(String(first)) ?? []), ...rest], message });
  }
}
