import { expect, it } from 'vitest';
import { Invalid, type Issue } from '#src/lib/errors.ts';
import { type Component, type ComponentRegistry, parseComponent } from '#src/lib/schema/component.ts';

/** A valid component of one type, and single changes that are valid or invalid. */
export interface ComponentCase {
  valid: Component;
  /** Fields that a valid component must have. */
  required: string[];
  /** Defaults that are added to the component. */
  defaults: Component;
  accepts?: Component;
  /** `field: [value, issue type, deeper path]` */
  rejects: [field: string, value: unknown, type: string, path?: (string | number)[]][];
}

/** More values that one field accepts, as `[field, value]`. */
export type Accepted = [field: string, value: unknown][];

export function collectIssues(run: () => unknown): Issue[] {
  try {
    run();
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
  return [];
}

export function componentRules(
  registry: ComponentRegistry,
  kind: string,
  rules: ComponentCase,
  accepted: Accepted = [],
) {
  const parse = (component: unknown) => parseComponent(registry, kind, component);

  it('accepts the smallest valid component and fills in the defaults', () => {
    expect(parse(rules.valid)).toEqual({ component: { ...rules.defaults, ...rules.valid }, freeForm: false });
  });

  it.each(rules.required)('requires %s', (name) => {
    const { [name]: _, ...rest } = rules.valid;
    const expected = { loc: ['body', 'component', name], type: 'missing', msg: 'Field required' };
    expect(collectIssues(() => parse(rest))).toEqual([expected]);
    expect(collectIssues(() => parse({ ...rules.valid, [name]: null }))).toEqual([expected]);
  });

  it.each(accepted)('accepts %s = %j', (name, value) => {
    expect(parse({ ...rules.valid, [name]: value }).component[name]).toEqual(value);
  });

  it.each(rules.rejects)('rejects %s = %j as %s', (name, value, type, path = []) => {
    const issues = collectIssues(() => parse({ ...rules.valid, [name]: value }));
    expect(issues.map((issue) => [issue.loc, issue.type])).toEqual([
      [['body', 'component', name, ...path], type],
    ]);
  });

  it('treats null as absent', () => {
    const optional = Object.keys(registry[kind]!.shape).filter((name) => !rules.required.includes(name));
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect(parse({ ...nulls, ...rules.valid }).component).toEqual({ ...rules.defaults, ...rules.valid });
  });

  it('rejects unknown fields, and suggests the intended one', () => {
    const issues = collectIssues(() => parse({ ...rules.valid, clas_name: 'x', surplus: { a: [1] } }));
    expect(issues.map(({ loc, type }) => [loc.at(-1), type])).toEqual([
      ['clas_name', 'extra_forbidden'],
      ['surplus', 'extra_forbidden'],
    ]);
    expect(issues[0]?.msg).toContain('did you mean `class_name`?');
  });

  it('returns a component with none of the known fields unchanged', () => {
    const free = { class_name: 'Own', anything: [null, { deep: true }] };
    expect(parse(free)).toEqual({ component: free, freeForm: true });
  });

  it('rejects every field of a wrong type by name', () => {
    for (const name of Object.keys(registry[kind]!.shape)) {
      const issues = collectIssues(() => parse({ ...rules.valid, [name]: Symbol.iterator }));
      expect(
        issues.map((issue) => issue.loc.slice(0, 3)),
        name,
      ).toContainEqual(['body', 'component', name]);
    }
  });
}
