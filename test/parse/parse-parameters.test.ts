/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import type { ParameterDefinition } from '#src/parse/parameters/define.ts';
import {
  PARAMETER_GROUPS,
  PARAMETERS,
  parseParameters,
  pipelineParseParameters,
} from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';

// The folder `reading` uses parameters by name.
const sources = import.meta.glob<string>(
  ['../../src/{parse,reading}/**/*.ts', '!**/parameters/**', '!**/reading/plan/warnings.ts'],
  { query: '?raw', import: 'default', eager: true },
);

/** Returns whether the code names the parameter. */
const isNamed = (name: string): boolean =>
  Object.values(sources).some((source) => new RegExp(`\\b${name}\\b`).test(source));

/** Values that differ from the default, for parameters whose type does not suggest one. */
const VALUES: Record<string, unknown> = {
  annotate_links: false,
  bounding_box: '0.1,0,0,0',
  confidence_score_effort: 'high',
  extract_layout: false,
  images_to_save: ['layout'],
  languages: ['de'],
  replace_failed_page_mode: 'error_message',
  save_images: false,
  target_pages: '2',
};
const BY_TYPE: Record<string, unknown> = {
  boolean: true,
  string: 'text',
  'string, secret': 'secret',
  'integer, 0 or more': 7,
  'number, 0 or more': 7,
  'number, 0 to 1': 0.5,
  'number, 0 to less than 1': 0.5,
};

/** Parameters that stand for other parameters or select the parser. */
const OUTSIDE_THE_PLAN = ['preset', 'version'];

const definitions = Object.entries<ParameterDefinition>(PARAMETERS).map(([name, definition]) => ({
  name,
  ...definition,
}));

describe('parse parameters', () => {
  it('belong to exactly one group', () => {
    const names = Object.values(PARAMETER_GROUPS).flatMap(({ parameters }) => Object.keys(parameters));
    expect(names.toSorted()).toEqual(Object.keys(PARAMETERS));
  });

  it.each(definitions)('$name has a description and its declared effect', (definition) => {
    const { name, effect, options, schema } = definition;
    expect(schema.description).toBe(options.description);
    expect(options.description).toMatch(/^\S.{15,}\.$/s);
    if (effect === 'model') expect(isNamed(name), `${name} is not used`).toBe(true);
    if (effect === 'none') expect(isNamed(name), `${name} is used`).toBe(false);
  });

  it.each(definitions.filter(({ name, effect }) => effect === 'reading' && !OUTSIDE_THE_PLAN.includes(name)))(
    '$name changes the plan',
    ({ name, type }) => {
      const value = VALUES[name] ?? BY_TYPE[type];
      const others = name.startsWith('job_timeout_extra') ? { job_timeout_in_seconds: 1 } : {};
      const given = parseParameters.parse({ ...others, [name]: value });
      expect(resolveParsePlan(given)).not.toEqual(resolveParsePlan(others));
    },
  );

  it.each(definitions.filter(({ effect }) => effect === 'none'))(
    '$name has no effect and causes a warning',
    ({ name, type }) => {
      const value = type === 'boolean' ? true : 'http://proxy.example';
      expect(collectWarnings(parseParameters, { [name]: value })).toMatchObject([{ field: name }]);
    },
  );

  it.each(definitions.filter(({ options }) => options.withoutEffectInPipelines !== undefined))(
    '$name causes a warning with a reason in a pipeline',
    ({ name, type, options }) => {
      const value = type === 'boolean' ? true : 'text';
      const reason = options.withoutEffectInPipelines;
      expect(collectWarnings(pipelineParseParameters, { [name]: value })).toEqual([{ field: name, reason }]);
    },
  );
});
