/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { warningsOf } from '#src/lib/schema/effect.ts';
import type { ParameterDefinition } from '#src/parse/parameters/define.ts';
import {
  PARAMETER_GROUPS,
  PARAMETERS,
  parseParameters,
  pipelineParseParameters,
} from '#src/parse/parameters/parameters.ts';

// Joined pages are framed by the service, and the client of the parser removes parameters, so neither is searched whole.
const sources = import.meta.glob<string>(
  [
    '../../src/{parse,parse-file,formats,pdf-output,reading}/**/*.ts',
    '../../src/ingest/join-pages.ts',
    '../../src/ingest/over-pages.ts',
    '!**/parameters/**',
    '!**/parse/client.ts',
    '!**/reading/plan/warnings.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
);

/** Returns whether the code reads the parameter as a member (`parameters.x`) or by destructuring (`{ x } = parameters`). */
function isRead(name: string): boolean {
  const read = new RegExp(
    `parameters\\??\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\} = [\\w.#]*parameters\\b|cuts\\.${name}\\b`,
  );
  return Object.values(sources).some((source) => read.test(source));
}

const definitions = Object.entries<ParameterDefinition>(PARAMETERS).map(([name, definition]) => ({
  name,
  ...definition,
}));
const MARGINS = /^(bbox_|bounding_box)/;

describe('a parse parameter', () => {
  it('is in exactly one group', () => {
    const names = Object.values(PARAMETER_GROUPS).flatMap(({ parameters }) => Object.keys(parameters));
    expect(names.toSorted()).toEqual(Object.keys(PARAMETERS));
  });

  it.each(definitions)('$name has a description and the effect that it declares', (definition) => {
    const { name, effect, options, schema } = definition;
    expect(schema.description).toBe(options.description);
    expect(options.description).toMatch(/^\S.{15,}\.$/s);
    if (MARGINS.test(name)) return;
    if (effect === 'reading' || effect === 'model') expect(isRead(name), `${name} is not read`).toBe(true);
    if (effect === 'none') expect(isRead(name), `${name} is read`).toBe(false);
  });

  it.each(definitions.filter(({ effect }) => effect === 'none'))(
    '$name, which has no effect, causes a warning',
    ({ name, type }) => {
      const value = type === 'boolean' ? true : 'http://proxy.example';
      expect(warningsOf(parseParameters, { [name]: value })).toMatchObject([{ field: name }]);
    },
  );

  it.each(definitions.filter(({ options }) => options.withoutEffectInPipelines !== undefined))(
    '$name causes a warning in a pipeline, with its reason',
    ({ name, type, options }) => {
      const value = type === 'boolean' ? true : 'text';
      const reason = options.withoutEffectInPipelines;
      expect(warningsOf(pipelineParseParameters, { [name]: value })).toEqual([{ field: name, reason }]);
    },
  );
});
